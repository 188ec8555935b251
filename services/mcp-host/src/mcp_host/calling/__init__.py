"""Calls of foreign tools: found as they were offered, checked against what is there now; what they give."""

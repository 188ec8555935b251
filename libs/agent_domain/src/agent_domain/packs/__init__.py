"""Packs: which tools an agent has by them, and under which names."""

"""Wakes from other services, checked and written into the log."""

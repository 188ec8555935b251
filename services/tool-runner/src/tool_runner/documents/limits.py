"""What one job may take."""

WALL_S = 10
"""Seconds."""
MEMORY = 512 * 1024 * 1024
"""Bytes beyond what is loaded."""

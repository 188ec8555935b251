"""What one job may take."""

WALL_S = 8
"""Seconds: whoever asked has an answer within ten, with what it takes to begin and to end a process."""
TICK_S = 1
"""After so many seconds of computing comes a signal (SIGVTALRM), which a job may heed."""
MEMORY = 512 * 1024 * 1024
"""Bytes beyond what is loaded."""
LARGEST_FILES = 128 * 1024 * 1024
"""Bytes of all files that a job is given, and of all that it makes."""
LARGEST_VALUE = 16 * 1024 * 1024
"""Bytes of a job's options, and of the JSON that it gives: few enough for the runner to take in."""

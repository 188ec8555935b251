"""What a command may have."""

MIB = 1024 * 1024

MEMORY = 1024 * MIB
"""Bytes, of all processes of a command together."""
RESERVED_BY_OWN = 4096 * MIB
"""Bytes that each process of a call's own command may reserve, of which it may use `MEMORY`: the runtimes of
coding agents reserve more than they use."""
PROCESSES = 64
"""Processes and threads of a command at a time."""
DISK = 2048 * MIB
"""Bytes of a workspace's folder, with what commands keep in `/tmp`."""
ENTRIES = 100_000
"""Files and folders of a workspace."""
LARGEST_WRITTEN = 512 * MIB
"""Bytes of one file that a command writes."""
OPEN_FILES = 1024
OUTPUT = 16 * MIB
"""Bytes that a command may write to its standard output and error, together; with more it is ended."""

LAID_OUT = 20_000
"""Files of a session that a folder is laid out from."""
CAPTURED = 1_000
"""Files that become the session's by one call."""
CAPTURED_BYTES = 256 * MIB
NOT_KEPT_TOLD = 20
"""Lines."""

CONNECTIONS = 32
"""Connections of a command at a time."""
CARRIED = 4096 * MIB
"""Bytes that a command may send and be sent, both together."""

COMMANDS = 32
"""Commands at a time, of all sessions."""
OPEN_FILES_OF_THE_HOST = 4 * COMMANDS * CONNECTIONS + 1024
"""A connection has two ends, and as many again are told that they are too many."""
BACKGROUND = 8
"""Commands in the background at a time, of one workspace."""
ENDED_KEPT = 64
"""Commands that ended in the background, of which somebody may still want to know."""
LONGEST_LOOK_S = 60.0
FOLDERS = 200
"""Folders at a time; of those that no command uses, the one that was unused for longest makes room."""

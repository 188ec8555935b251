"""What a process gives up before it becomes another program. Standard library, for a bare interpreter."""

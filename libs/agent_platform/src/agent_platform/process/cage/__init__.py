"""What a process gives up before it runs what it doesn't trust. Standard library, for a bare interpreter."""

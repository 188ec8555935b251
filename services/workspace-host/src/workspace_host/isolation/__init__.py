"""What keeps a command to its folder."""

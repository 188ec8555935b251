"""Commands, from their start to their end."""

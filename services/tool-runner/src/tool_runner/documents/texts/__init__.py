"""What is done with text, where that can take for ever."""

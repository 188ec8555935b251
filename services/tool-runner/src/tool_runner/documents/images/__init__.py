"""What is done with pictures."""

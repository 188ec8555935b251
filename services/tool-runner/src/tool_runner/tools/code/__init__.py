"""Running code that was written for the occasion."""

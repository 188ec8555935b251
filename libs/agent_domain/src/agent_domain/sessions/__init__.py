"""Sessions as others than the engine see them: which there are, and how one begins."""

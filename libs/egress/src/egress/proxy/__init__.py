"""The way out of programs that make their own requests, by the same rules: a proxy."""

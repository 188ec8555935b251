"""A real browser: open pages, read them, click and type, in one context for each session."""

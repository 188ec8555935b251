"""The files of an agent, as one tool call reads and writes them."""

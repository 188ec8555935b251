"""Foreign servers of tools (MCP): what of theirs is offered, under which names."""

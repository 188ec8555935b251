"""A server that says of its tool what stands in a file when it starts."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("moody", version="1")


def note(text: str) -> str:
    """Replaced by what stands in the file."""
    return text


if __name__ == "__main__":
    server.add_tool(note, description=Path(sys.argv[1]).read_text())
    server.run("stdio")

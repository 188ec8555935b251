"""A server that behaves, by the SDK: a program over stdio."""

import asyncio
import os

from mcp.server.mcpserver import MCPServer

server = MCPServer("plain", version="1")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def environ() -> dict[str, str]:
    """What this program sees of its environment."""
    return dict(os.environ)


@server.tool()
async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)  # sleeps: work
    return "done"


@server.tool()
def die() -> str:
    """End this program at once."""
    os._exit(3)


@server.tool()
def read(path: str) -> str:
    """Read a file, or list a folder."""
    try:
        return ",".join(sorted(os.listdir(path))) if os.path.isdir(path) else open(path).read()
    except OSError as error:
        return f"refused: {error.strerror}"


@server.tool()
def write(path: str) -> str:
    """Write a file."""
    try:
        with open(path, "w") as file:
            file.write("x")
    except OSError as error:
        return f"refused: {error.strerror}"
    return "written"


if __name__ == "__main__":
    server.run("stdio")

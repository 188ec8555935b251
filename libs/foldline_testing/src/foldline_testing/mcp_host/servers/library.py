"""A server that has things to be read: resources, one too large and one that is a picture, and prompts."""

import base64

from mcp import MCPError
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts.base import AssistantMessage, Message, UserMessage
from mcp_types import EmbeddedResource, ImageContent, TextResourceContents

server = MCPServer("library", version="1")
_NO_SUCH_RESOURCE = -32002  # of protocols up to 2025-11-25
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@server.resource("book://short", title="Short", description="A few words.", mime_type="text/plain")
def short() -> str:
    """A few words."""
    return "Call me Ishmael."


@server.resource("book://long", mime_type="text/plain")
def long() -> str:
    """More than a result holds."""
    return "word " * 60_000


@server.resource("book://picture", mime_type="image/png")
def picture() -> bytes:
    """One pixel."""
    return PIXEL


@server.resource("book://broken")
def broken() -> str:
    """Fails."""
    raise RuntimeError("the shelf fell")


@server.resource("book://chapter/{number}")
def chapter(number: str) -> str:
    """One of many."""
    if not number.isdecimal():
        raise MCPError(_NO_SUCH_RESOURCE, "no such chapter")
    return f"Chapter {number}"


@server.prompt(title="Review it")
def review(work: str, tone: str = "kind") -> str:
    """Review a work."""
    return f"Review {work}, be {tone}."


@server.prompt()
def long_one() -> str:
    """More than a message should hold."""
    return "word " * 220_000


@server.prompt()
def shown() -> list[Message]:
    """Talks, and shows a picture and a book."""
    data = base64.b64encode(PIXEL).decode()
    book = TextResourceContents(uri="book://short", mime_type="text/plain", text="Call me Ishmael.")
    return [
        UserMessage("Look at this."),
        UserMessage(ImageContent(type="image", data=data, mime_type="image/png")),
        AssistantMessage("I see a pixel."),
        UserMessage(EmbeddedResource(type="resource", resource=book)),
    ]


if __name__ == "__main__":
    server.run("stdio")

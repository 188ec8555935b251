"""Results of a bounded size: what is longer comes in pieces."""

from typing import Annotated, Any

import mcp_types as types
import msgspec
from pydantic import Field

from agent_contracts.errors import Rejected
from gateway.mcp.tool import McpArguments

PIECE = 48_000
"""Characters of JSON that one result has at most."""


class PieceArguments(McpArguments):
    """Of a long result, where the piece begins."""

    offset: Annotated[
        int, Field(ge=0, le=2**40, description="of a long result: next_offset of the piece before")
    ] = 0


def whole_or_piece(value: Any, offset: int) -> types.CallToolResult:
    """The value as JSON, if it is short; else the piece of its text that begins at `offset` characters."""
    text = msgspec.json.encode(value).decode()
    if offset > len(text):
        raise Rejected(f"The result has {len(text):,} characters", kind="invalid_request", path="/offset")
    if not offset and len(text) <= PIECE:
        return result(text, value)
    end = min(len(text), offset + PIECE)
    piece = {
        "piece": text[offset:end],
        "offset": offset,
        "total": len(text),
        "next_offset": end if end < len(text) else None,
    }
    return result(msgspec.json.encode(piece).decode(), piece)


def result(text: str, structured: Any) -> types.CallToolResult:
    """A result as text, and as data for programs."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=structured
    )

"""MCP clients that may use an agent."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from agent_contracts.api.wire import Id, RequestBody, ResponseBody, check_ids
from agent_contracts.timestamp import Timestamp


class McpScope(StrEnum):
    """What a client may do with the agent."""

    READ = "read"
    """List and read sessions, events, states, files and skills."""
    ASK = "ask"
    """Say something to the agent, in a new session or one that is there."""
    REWIND = "rewind"
    """Fork sessions. Going back stays with people; what it would undo is `read`."""
    TOOLS = "tools"
    """Run the agent's own tools that a person exposed."""


class AllowedMcpClient(ResponseBody, frozen=True, kw_only=True):
    """A program that may use an agent by MCP, without its token. `scopes` says for what."""

    name: str
    created_at: Timestamp
    agent_id: str
    scopes: list[McpScope]


class MadeMcpToken(ResponseBody, frozen=True, kw_only=True):
    """A new one. The `token` is shown this once: the client sends it to `/mcp` as a bearer token."""

    client: AllowedMcpClient
    token: str


class RevokedMcpToken(ResponseBody, frozen=True, kw_only=True):
    """It counts no more, at once."""

    name: str


class NewMcpToken(RequestBody, frozen=True, kw_only=True):
    """A program by its `name` (1 to 24 of a-z, 0-9 and -, a letter first), which agent it may use, and for
    what: `read` its sessions, `ask` it, `rewind` (fork), run the `tools` that are exposed."""

    name: Annotated[str, msgspec.Meta(max_length=64)]
    agent_id: Id
    scopes: Annotated[list[McpScope], msgspec.Meta(min_length=1, max_length=len(McpScope))]

    def __post_init__(self) -> None:
        check_ids(self.agent_id)


_NOT_FOUND = -32002
"""Of a resource, up to 2025-11-25; since then that is a wrong parameter."""


def error_code(code: int, told: Mapping[str, Any], *, older: bool) -> int:
    """The code of an error that tells this, for a client that speaks an `older` version of the protocol."""
    return _NOT_FOUND if older and told.get("kind") == "not_found" and "uri" in told else code

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
    """A program that may use an agent by MCP. Its token isn't shown."""

    name: str
    """The client's name, under which its token can be revoked."""
    created_at: Timestamp
    agent_id: str
    """Id of the agent that it may use."""
    scopes: list[McpScope]
    """What it may do with the agent."""


class MadeMcpToken(ResponseBody, frozen=True, kw_only=True):
    """A new token for an MCP client."""

    client: AllowedMcpClient
    """The client that the token belongs to."""
    token: str
    """Shown this once: the client sends it to `/mcp` as a bearer token."""


class RevokedMcpToken(ResponseBody, frozen=True, kw_only=True):
    """The token is invalid from now on."""

    name: str
    """Name of the client whose token it was."""


class NewMcpToken(RequestBody, frozen=True, kw_only=True):
    """A program that may use an agent by MCP, and for what."""

    name: Annotated[str, msgspec.Meta(max_length=64)]
    """The client's name: 1 to 24 of a-z, 0-9 and `-`, a letter first."""
    agent_id: Id
    """Id of the agent that it may use."""
    scopes: Annotated[list[McpScope], msgspec.Meta(min_length=1, max_length=len(McpScope))]
    """`read` its sessions, `ask` it, `rewind` (fork sessions), or run the `tools` that are exposed."""

    def __post_init__(self) -> None:
        check_ids(self.agent_id)


_NOT_FOUND = -32002
"""Of a resource, up to 2025-11-25; since then that is a wrong parameter."""


def error_code(code: int, told: Mapping[str, Any], *, older: bool) -> int:
    """The code of an error that tells this, for a client that speaks an `older` version of the protocol."""
    return _NOT_FOUND if older and told.get("kind") == "not_found" and "uri" in told else code

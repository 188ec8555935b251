"""How the connection with a foreign server is, as its host tells it; and what people ask of hosts."""

from typing import Literal

import msgspec

from agent_contracts.ids import AgentId

TEST_MCP_SERVER = "mcp.test"
"""Asked with a `TestServer`: connect, list the tools, and answer an `McpState`."""
MCP_WANTED = "mcp.wanted"
"""Asked where nobody answers: if somebody answers this, a host is being started."""

State = Literal["connected", "error", "needs_login", "changed", "closed"]


class McpState(msgspec.Struct, frozen=True, omit_defaults=True):
    """`changed`: connected, and what the server offers isn't what a person accepted. `error` is why it can't
    be used, in words, and `stderr` the end of what a program said there. `protocol` is the version spoken,
    `confined` what holds a program, `lacks` what of it this system can't do."""

    state: State
    since: str
    error: str = ""
    stderr: str = ""
    protocol: str = ""
    tools: int = 0
    resources: bool = False
    prompts: bool = False
    confined: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    needs: Literal["", "unconfined", "private"] = ""
    """What a person would have to allow first."""
    login: str = ""
    """The authorization server at which a person logged in for it; empty: nobody did."""
    flaws: tuple[str, ...] = ()
    """What of its list can't be used, each with why, and why the list isn't complete."""


class TestServer(msgspec.Struct, frozen=True):
    """Whose server is to be tried, as it is kept now."""

    agent_id: AgentId
    server: str

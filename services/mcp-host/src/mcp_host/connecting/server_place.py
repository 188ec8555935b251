"""What a host knows of one server: how a person keeps it, its connection, and how that is."""

import asyncio
from typing import Literal

import msgspec

from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.questions.mcp_states import McpState, State
from agent_domain.mcp.offered_tools import has_changed
from agent_platform.process.interruption import Interruption
from mcp_host.connecting.connection import McpConnection
from mcp_host.connecting.server_opener import NeedsLogin, NeedsWord

_FLAWS = 20


class ServerVersion(msgspec.Struct, frozen=True):
    """A server as a person keeps it, and the sequence of the event that says so."""

    version: int
    server: McpServer


class ServerPlace:
    """What is known of one server here. `kept` is what the connection was opened by, or is good for since."""

    def __init__(self, server: str) -> None:
        self.lock = asyncio.Lock()
        self.connection: McpConnection | None = None
        self.task: asyncio.Task[None] | None = None
        self.kept: ServerVersion | None = None
        self.delay = 0.0
        self.again_at = 0.0
        self.failure = ""
        self.told_at = 0.0
        self.last: McpState | None = None
        self.looks = Interruption("mcp_look", server=server)

    def state(self, now: str) -> McpState:
        """How it is, for people."""
        connection, kept = self.connection, self.kept
        if connection is None or kept is None:
            return McpState("error" if self.failure else "closed", now, self.failure)
        state: State
        needs: Literal["", "unconfined", "private"] = ""
        if connection.is_open or (not connection.failure and connection.cause is None):
            state = "changed" if has_changed(kept.server, connection.tools) else "connected"
        else:
            state = "needs_login" if isinstance(connection.cause, NeedsLogin) else "error"
            needs = connection.cause.needs if isinstance(connection.cause, NeedsWord) else ""
        capabilities = connection.capabilities
        return McpState(
            state,
            now,
            error=connection.failure,
            stderr=connection.stderr,
            protocol=connection.protocol,
            tools=len(connection.tools.tools),
            resources=capabilities is not None and capabilities.resources is not None,
            prompts=capabilities is not None and capabilities.prompts is not None,
            confined=connection.cage.got,
            lacks=connection.cage.lacks,
            needs=needs,
            login=connection.login,
            flaws=flaws(connection.tools),
        )


def flaws(tools: McpTools) -> tuple[str, ...]:
    """What of the list can't be used, for people: the first of the tools, and what the list lacks."""
    flawed = [f"{one.name}: {one.flaw}" for one in tools.tools if one.flaw]
    more = len(flawed) - _FLAWS
    return (
        *flawed[:_FLAWS],
        *([f"{more} more tools can't be used"] if more > 0 else []),
        *([f"its list of tools may not be complete: {tools.incomplete}"] if tools.incomplete else []),
        *([f"{tools.left_out} tools were left out: there is no room for them"] if tools.left_out else []),
    )


def same_way(one: McpServer, other: McpServer) -> bool:
    """Whether both are spoken with in the same way, and are told the same."""
    return (one.transport, one.unconfined, one.private, one.sampling) == (
        other.transport,
        other.unconfined,
        other.private,
        other.sampling,
    )

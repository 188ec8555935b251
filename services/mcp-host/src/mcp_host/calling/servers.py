"""The port of those tools that speak with an agent's foreign servers."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.lease_keys import mcp_state_key, mcp_states_key
from agent_contracts.outside import source
from agent_contracts.questions.mcp_states import McpState
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.models import Models
from agent_tools.tool import Pause
from mcp_host.calling.held_calls import HeldCalls
from mcp_host.calling.paused_call import NamedTool, kept_by, later
from mcp_host.calling.pausing import PausingCall
from mcp_host.calling.sampling import ModelSampling
from mcp_host.connecting.connection import McpConnection
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.connecting.under_way import NOTE


class KnownServer(msgspec.Struct, frozen=True):
    """A server that a person added, and how the connection with it is, as far as anybody told."""

    name: str
    server: McpServer
    state: McpState | None


class AgentServers:
    """The servers of one call's agent. Whatever they say is material from outside."""

    def __init__(  # noqa: PLR0913 — what a host has, and whose call it is
        self,
        connections: Connections,
        entities: Entities,
        states: Bucket,
        held: HeldCalls,
        clock: Clock,
        models: Models,
        call: CallContext,
    ) -> None:
        self._connections = connections
        self._entities = entities
        self._states = states
        self._held = held
        self._clock = clock
        self._models = models
        self._call = call

    async def connection(self, server: str) -> McpConnection:
        """The open connection with it. `Rejected` says why there is none."""
        found = await self._connections.get(ServerKey(self._call.agent_id, server))
        NOTE.set(self._call.outgoing.note)  # not before: the connection lives longer than the call
        self._call.outside.bring(source("mcp", server))
        return found

    def pausing(self, tool: NamedTool, connection: McpConnection, *, samples: bool) -> PausingCall:
        """This call, of a tool of that server; `samples`: it may have models asked, if the server may."""
        sampling = None
        if samples and connection.samples and self._call.may_pause:
            kept = kept_by(self._call)
            asked = kept.sampled if kept is not None else 0
            sampling = ModelSampling(self._models, self._call, connection.redaction, asked)
        return PausingCall(tool, connection, self._held, self._call, self._clock, sampling)

    def postponed(self, tool: NamedTool, refused: Rejected) -> Pause | None:
        """Look again later, where a server can't be reached that works on this call; None for any other."""
        kept = kept_by(self._call)
        if kept is None or kept.task is None or refused.kind != ErrorKind.NOT_AVAILABLE:
            return None
        assert self._call.resumed is not None
        task = msgspec.structs.replace(kept.task, looks=kept.task.looks + 1)
        return later(tool, self._call.resumed.round, task, self._clock, kept.times, None, "")

    async def wanted(self, server: str) -> McpServer:
        """As a person keeps it now. `Rejected` as by `connection`."""
        return await self._connections.server(ServerKey(self._call.agent_id, server))

    async def known(self) -> Sequence[KnownServer]:
        """All of them, by name."""
        agent_id: AgentId = self._call.agent_id
        found = await self._entities.list(agent_id, EntityKind.MCP_SERVER)
        told = await self._states.below(mcp_states_key(agent_id))
        states = {key: msgspec.json.decode(entry.value, type=McpState) for key, entry in told.items()}
        return [
            KnownServer(
                one.key.name,
                msgspec.convert(one.value, McpServer),
                states.get(mcp_state_key(agent_id, one.key.name)),
            )
            for one in found
        ]

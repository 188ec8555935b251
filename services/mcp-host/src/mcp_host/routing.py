"""Each server is connected with one host: who gets a call of it hands it off to that one."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import event_of
from agent_contracts.log.record.session_subjects import parse_session_subject
from agent_contracts.log.subjects import mcp_host_subject
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_domain.mcp.offered_tools import server_in
from agent_platform.nats.connection import NatsConnection
from agent_platform.services.consuming.consumer import Delivery, Handler
from agent_platform.services.leases.handoff import RETURNED, HandOff, HandOffOutcome, handled
from agent_platform.services.leases.leases import Leases, LeaseState
from mcp_host.calling import tasks
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.limits import LOOK_ANSWER_S


class ServerWork(msgspec.Struct, frozen=True):
    """For the holder of this server: a delivery, what code `asked`, a task of it that nobody wants any more,
    or a wish to try it."""

    agent_id: AgentId
    server: str
    delivery: Delivery | None = None
    task: str | None = None
    asked: CodeCall | None = None

    @property
    def key(self) -> ServerKey:
        """Whose server."""
        return ServerKey(self.agent_id, self.server)


class McpRouting(HandOff[ServerKey, ServerWork]):
    """Does `handle` here for servers that are held here or nowhere, else at their holder."""

    gone = "the host that was connected with it stopped"

    def __init__(
        self,
        connection: NatsConnection,
        leases: Leases[ServerKey],
        connections: Connections,
        handle: Handler,
        asked: Callable[[CodeCall], Awaitable[bytes]],
    ) -> None:
        super().__init__(connection, leases, ServerWork, mcp_host_subject)
        self._asked = asked
        self._connections = connections
        self._handle = handle
        connections.released = self._release

    async def handle(self, delivery: Delivery) -> None:
        """Returns when the message was handled, here or at the holder. Raises what handling it does."""
        key = _server_of(delivery)
        if key is None:
            await self._handle(delivery)
            return
        await self.done(ServerWork(key.agent_id, key.server, delivery))

    async def test(self, key: ServerKey) -> bytes:
        """A `McpState`, as JSON: the server is connected anew, or listed anew."""
        return await self.done(ServerWork(key.agent_id, key.server))

    async def answer(self, question: bytes) -> bytes:
        """What code asked with a `CodeCall`: a `ToolAnswer`, from here or from the holder."""
        try:
            asked = msgspec.json.decode(question, type=CodeCall)
        except msgspec.DecodeError as error:
            raise Rejected(f"not a call of a foreign server's tool: {error}") from error
        server = _named_by(asked.tool, asked.arguments)
        key = ServerKey(asked.agent_id, server or "")
        if not key.can_be:
            return await self._asked(asked)
        return await self.done(ServerWork(key.agent_id, key.server, asked=asked))

    async def cancel_task(self, key: ServerKey, task_id: str) -> None:
        """Tell the server that nobody wants this task any more. Raises what reaching it does."""
        await self.done(ServerWork(key.agent_id, key.server, task=task_id))

    async def holds(self, key: ServerKey) -> bool:
        """Whether this host is who is connected with the server."""
        return (await self._leases.find(key)).lease.holder == self._leases.me

    async def is_free(self, key: ServerKey) -> bool:
        """Whether nobody is."""
        return (await self._leases.find(key)).lease.holder is None

    def thing(self, work: ServerWork) -> ServerKey:
        """See `HandOff`."""
        return work.key

    async def here(self, held: LeaseState, work: ServerWork) -> HandOffOutcome:
        """See `HandOff`."""
        if held.lease.holder is None and not await self._leases.take(work.key, held):
            return RETURNED
        return handled(await self._run(work))

    async def taken_over(self, held: LeaseState, work: ServerWork) -> HandOffOutcome:
        """See `HandOff`."""
        return handled(await self._run(work)) if held.lease.holder == self._leases.me else RETURNED

    async def _run(self, work: ServerWork) -> bytes:
        if work.asked is not None:
            return await self._asked(work.asked)
        if work.task is not None:
            task_id = work.task
            connection = await self._connections.get(work.key)
            await connection.call(lambda client: tasks.cancel(client, task_id), LOOK_ANSWER_S, acts=False)
            return b""
        if work.delivery is None:
            return msgspec.json.encode(await self._connections.test(work.key))
        await self._handle(work.delivery)
        return b""

    async def _release(self, key: ServerKey) -> None:
        await self._leases.release(key, None)


def _server_of(delivery: Delivery) -> ServerKey | None:
    """Whose server the call speaks with; None if with none, or that can't be told."""
    recorded = event_of(delivery.message)
    if recorded is None or not isinstance(recorded.event, ToolCallRequested):
        return None
    event = recorded.event
    server = _named_by(event.tool, event.arguments)
    if server is None:
        return None
    key = ServerKey(parse_session_subject(delivery.message.subject).key.agent_id, server)
    return key if key.can_be else None


def _named_by(tool: str, arguments: Mapping[str, Json]) -> str | None:
    named = arguments.get("server")
    return server_in(tool) or (named if isinstance(named, str) else None)

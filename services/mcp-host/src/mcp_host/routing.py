"""Each server is connected with one host: who gets a call of it hands it to that one.

All hosts pull from one durable consumer. A holder that is gone, or fell silent, loses the lease to the one
that asked; what it did before stands in the log: an external call that it claimed is not run again.
"""

from collections.abc import Awaitable, Callable, Mapping

import msgspec
import structlog

from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.log.session_subjects import parse_session_subject
from agent_contracts.log.subjects import mcp_host_subject
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_domain.mcp.offering import server_in
from agent_platform.log.decoding import event_of
from agent_platform.nats.connection import Connection
from agent_platform.services.consuming.consumer import Delivery, Handler
from agent_platform.services.leases.handing_over import RETURNED, Outcome, failure_of, hand_over, taking_over
from agent_platform.services.leases.leases import Held, Leases
from mcp_host.calling import tasks
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.opening import ServerKey
from mcp_host.limits import LOOK_ANSWER_S

HOLDER_GONE = "the host that was connected with it stopped"

log = structlog.get_logger()


class HandedOver(msgspec.Struct, frozen=True):
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


class Routing:
    """Does `handle` here for servers that are held here or nowhere, else at their holder."""

    def __init__(
        self,
        connection: Connection,
        leases: Leases[ServerKey],
        connections: Connections,
        handle: Handler,
        asked: Callable[[CodeCall], Awaitable[bytes]],
    ) -> None:
        self._asked = asked
        self._connection = connection
        self._leases = leases
        self._connections = connections
        self._handle = handle
        connections.released = self._release

    async def run(self) -> None:
        """Take what other hosts hand over, until cancelled."""
        await taking_over(self._connection, mcp_host_subject(self._leases.me), self._taken_over).run()

    async def handle(self, delivery: Delivery) -> None:
        """Returns when the message was handled, here or at the holder. Raises what handling it does."""
        key = _server_of(delivery)
        if key is None:
            await self._handle(delivery)
            return
        await self._done(HandedOver(key.agent_id, key.server, delivery))

    async def test(self, key: ServerKey) -> bytes:
        """A `McpState`, as JSON: the server is connected anew, or listed anew."""
        return await self._done(HandedOver(key.agent_id, key.server))

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
        return await self._done(HandedOver(key.agent_id, key.server, asked=asked))

    async def cancel_task(self, key: ServerKey, task_id: str) -> None:
        """Tell the server that nobody wants this task any more. Raises what reaching it does."""
        await self._done(HandedOver(key.agent_id, key.server, task=task_id))

    async def holds(self, key: ServerKey) -> bool:
        """Whether this host is who is connected with the server."""
        return (await self._leases.find(key)).lease.holder == self._leases.me

    async def is_free(self, key: ServerKey) -> bool:
        """Whether nobody is."""
        return (await self._leases.find(key)).lease.holder is None

    async def _done(self, work: HandedOver) -> bytes:
        while True:
            held = await self._leases.find(work.key)
            if held.lease.holder in (None, self._leases.me):
                if held.lease.holder is None and not await self._leases.take(work.key, held):
                    continue
                return await self._here(work)
            outcome = await self._by_holder(held, work)
            if outcome.state == "handled":
                return outcome.answer
            if outcome.state == "failed":
                raise failure_of(outcome)

    async def _by_holder(self, held: Held, work: HandedOver) -> Outcome:
        holder = str(held.lease.holder)
        try:
            return await hand_over(self._connection, mcp_host_subject(holder), msgspec.msgpack.encode(work))
        except Transient as error:
            if not self._connection.is_connected:
                raise  # nothing is known of the holder
            log.warning("server.holder_gone", holder=holder, kind=error.kind, error=error.message)
            await self._leases.lose(work.key, held, HOLDER_GONE)
            return RETURNED

    async def _taken_over(self, question: bytes) -> Outcome:
        try:
            work = msgspec.msgpack.decode(question, type=HandedOver)
        except msgspec.DecodeError as error:
            raise Rejected(f"not handed over by a host: {error}") from error
        if not await self.holds(work.key):
            return RETURNED
        return Outcome("handled", await self._here(work))

    async def _here(self, work: HandedOver) -> bytes:
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

"""What to do with what reaches a host besides calls: queries, cancellations, and what people change."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog

from agent_contracts.entities.entity import EntityDeleted, EntityKind, EntityWritten
from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.records import event_of
from agent_contracts.log.subjects import everyones_entities, owner_of
from agent_contracts.questions.code_calls import CALL_MCP
from agent_contracts.questions.mcp_logins import MCP_LOGIN
from agent_contracts.questions.mcp_states import TEST_MCP_SERVER, McpState, TestServer
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock, rfc3339
from agent_tools.hosting.host import WorkerQuery, query_of_code
from agent_tools.running.code_calls import CodeCalls
from mcp_host.call_canceller import CallCanceller
from mcp_host.calling.held_calls import HeldCalls
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.login_answers import FAILED, STOPPED, LoginAnswers
from mcp_host.routing import McpRouting

log = structlog.get_logger()


def stopping(
    of_code: CodeCalls, held: HeldCalls, cancelling: CallCanceller
) -> Callable[[SessionId, CallId | None], None]:
    """What to do, beside stopping the calls themselves, when nobody waits any more."""

    def stop(session: SessionId, call: CallId | None) -> None:
        of_code.stop(session, call)
        held.stop(session, call)
        if call is not None:
            cancelling.begin(session, call)

    return stop


def queries(routing: McpRouting, logins: LoginAnswers) -> Sequence[WorkerQuery]:
    """All of them, each answered wherever the server is held."""

    async def tested(question: bytes) -> bytes:
        try:
            asked = msgspec.json.decode(question, type=TestServer)
        except msgspec.DecodeError as error:
            raise Rejected(f"not a question after a server: {error}") from error
        return await routing.test(ServerKey(asked.agent_id, asked.server))

    failed = _failed("the host failed; its log says why")
    stopped = _failed("the host was stopped meanwhile: try again")
    return (
        query_of_code(CALL_MCP, routing.answer, "the MCP host"),
        WorkerQuery(TEST_MCP_SERVER, tested, failed, stopped),
        WorkerQuery(MCP_LOGIN, logins.answer, FAILED, STOPPED),
    )


def _failed(why: str) -> bytes:
    return msgspec.json.encode(McpState("error", rfc3339(SystemClock().now()), why))


class ServerFollower:
    """Follows what people change of servers: what is held here is opened anew or closed, and one that was
    never connected with is tried, so that a person sees its tools."""

    def __init__(self, log_: Log, entities: Entities, routing: McpRouting, connections: Connections) -> None:
        self._log = log_
        self._entities = entities
        self._routing = routing
        self._connections = connections
        self._in_hand: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until cancelled."""
        last = await self._log.last_sequence()
        for entity in await self._entities.list_of_everyone(EntityKind.MCP_SERVER):
            tools = EntityKey(entity.key.agent_id, EntityKind.MCP_TOOLS, entity.key.name)
            if await self._entities.current(tools) is None:
                self._begin(ServerKey(entity.key.agent_id, entity.key.name))
        async for message in self._log.tail([everyones_entities(EntityKind.MCP_SERVER)], after=last):
            recorded = event_of(message)
            if recorded is not None and isinstance(recorded.event, EntityWritten | EntityDeleted):
                self._begin(ServerKey(owner_of(recorded.subject), recorded.event.name))

    def _begin(self, key: ServerKey) -> None:
        task = asyncio.create_task(self._follow(key))
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)

    async def _follow(self, key: ServerKey) -> None:
        try:
            if await self._routing.holds(key):
                await self._connections.changed(key)
            elif await self._routing.is_free(key):
                await self._connections.server(key)  # raises where it isn't wanted
                await self._routing.test(key)
        except Failure as failure:
            log.info("server.not_followed", server=key.server, reason=failure.message)

"""What to do with the messages that reach a host besides calls: cancellations, and what people change."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.entities.entity import EntityDeleted, EntityKind, EntityWritten
from agent_contracts.errors import Failure, Rejected
from agent_contracts.log.subjects import everyones_entities, owner_of, parse_cancellation
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_platform.log.decoding import event_of
from agent_platform.log.port import Log
from agent_tools.running.code_calls import CodeCalls
from agent_tools.running.handlers import ToolCalls
from mcp_host.calling.held import HeldCalls
from mcp_host.cancelling import Cancelling
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.opening import ServerKey
from mcp_host.routing import Routing

log = structlog.get_logger()

Stop = Callable[[Msg], Awaitable[None]]
"""Hears what was cancelled."""


def stopping(calls: ToolCalls, of_code: CodeCalls, held: HeldCalls, cancelling: Cancelling) -> Stop:
    """What to do when the engine tells that nobody waits any more."""

    async def stop(message: Msg) -> None:
        try:
            session, call = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        calls.stop(session, call)
        of_code.stop(session, call)
        held.stop(session, call)
        if call is not None:
            cancelling.begin(session, call)

    return stop


class Following:
    """Follows what people change of servers: what is held here is opened anew or closed, and one that was
    never connected with is tried, so that a person sees its tools."""

    def __init__(self, log_: Log, entities: Entities, routing: Routing, connections: Connections) -> None:
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

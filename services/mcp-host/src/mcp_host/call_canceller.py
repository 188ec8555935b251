"""A call was cancelled that its server works on for longer: it is told, by the handle that is in the log."""

import asyncio

import msgspec
import structlog

from agent_contracts.errors import Failure
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.log.subjects import any_agents_calls
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.tool_spec import RunsOn
from agent_domain.mcp.offered_tools import server_in
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.log.result_offers import result_of
from mcp_host.calling.paused_call import PausedCall
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.routing import McpRouting

log = structlog.get_logger()


class CallCanceller:
    """Best effort, as cancelling a task is. Each host does it that hears of it: a server takes it twice."""

    def __init__(self, log_: Log, routing: McpRouting) -> None:
        self._log = log_
        self._routing = routing
        self._in_hand: set[asyncio.Task[None]] = set()

    def begin(self, session_id: SessionId, call_id: CallId) -> None:
        """Tell the server of this call, if it works on a task for it."""
        task = asyncio.create_task(self._cancel(session_id, call_id))
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)

    async def _cancel(self, session_id: SessionId, call_id: CallId) -> None:
        try:
            async for recorded in events(self._log.read(any_agents_calls(session_id, RunsOn.MCP))):
                if isinstance(recorded.event, ToolCallRequested) and recorded.event.call_id == call_id:
                    key = parse_session_subject(recorded.subject).key
                    await self._told(key, recorded.event, recorded.sequence)
        except Failure as failure:
            log.info("task.not_cancelled", call_id=call_id, reason=failure.message)

    async def _told(self, key: SessionKey, asked: ToolCallRequested, sequence: int) -> None:
        server = server_in(asked.tool)
        found = await result_of(self._log, key, asked.call_id, after=sequence)
        state = asked.resumed.state if asked.resumed is not None else None
        if found is not None and isinstance(found.event, ToolCallPending) and found.event.resume is not None:
            state = found.event.resume.state
        if server is None or state is None:
            return
        kept = msgspec.convert(state, PausedCall)
        if kept.task is not None:
            await self._routing.cancel_task(ServerKey(key.agent_id, server), kept.task.id)
            log.info("task.cancelled", server=server)

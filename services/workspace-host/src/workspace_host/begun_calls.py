"""Calls that have begun a command of their own, which may wait in them for a person for an hour. It ends with
the host that started it: the next one ends those calls, as nobody's answer could reach the command."""

import structlog

from agent_contracts.errors import Conflict, ErrorKind, ToolError
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.lease_keys import OWN_COMMANDS, own_command_key
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import ToolCallCancelled, ToolCallRequested
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, ToolCallPending
from agent_platform.log.bucket import Bucket
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.log.result_offers import append_result
from agent_platform.process.clock import Clock
from agent_tools.commands import LONGEST_BACKGROUND_S
from agent_tools.context import CallContext
from workspace_host.service import DECLARATION

log = structlog.get_logger()

_KEPT_S = LONGEST_BACKGROUND_S + 600
_GONE = ToolError(
    ErrorKind.UPSTREAM,
    "The program that this call had started was ended while it waited for an answer: the workspace host "
    "stopped. What it had changed is kept, nothing was done since, and its question can't be answered any "
    "more. Make the call again if it is still needed, and say what is done already",
)
_STANDS = ToolCallPending | ToolCallCompleted | ToolCallFailed | ToolCallCancelled | ToolCallRequested


class BegunCalls:
    """Remembers them in the bucket of leases, for as long as their commands may live."""

    def __init__(self, leases: Bucket, events: Log, clock: Clock, me: str) -> None:
        """`me` names this process in what it writes."""
        self._leases = leases
        self._log = events
        self._clock = clock
        self._me = me

    async def note(self, call: CallContext) -> None:
        """Before its command starts."""
        key = own_command_key(call.agent_id, call.session_id, call.call_id)
        await self._leases.put(key, str(call.sequence).encode(), ttl_s=_KEPT_S)

    async def forget(self, call: CallContext) -> None:
        """Its command has ended."""
        await self._forget(own_command_key(call.agent_id, call.session_id, call.call_id))

    async def _forget(self, key: str) -> None:
        await self._leases.delete(key, ttl_s=1)

    async def end_those_of_earlier_hosts(self) -> None:
        """Before anything is begun here. Harmless when repeated."""
        for key, entry in (await self._leases.below(OWN_COMMANDS)).items():
            _, agent, session, call = key.split(".")
            where = SessionKey(AgentId(agent), SessionId(session))
            if await self._ended(where, CallId(call), int(entry.value)):
                log.warning("call.ended_with_its_host", session_id=session, call_id=call)
            await self._forget(key)

    async def _ended(self, session: SessionKey, call_id: CallId, asked: int) -> bool:
        """Whether the call waited, and was ended. One that was answered is asked for again, and told then."""
        stands = None
        async for one in events(self._log.read(session.everything, after=asked)):
            if isinstance(one.event, _STANDS) and one.event.call_id == call_id:
                stands = one
        if stands is None or not isinstance(stands.event, ToolCallPending):
            return False
        failed = ToolCallFailed(call_id, _GONE, self._me)
        origin = Origin(DECLARATION.source, causation=stands.sequence, prev=stands.sequence)
        message, _ = event_message(failed, session.results, origin, self._clock)
        try:
            await append_result(self._log, None, message, call_id, after=stands.sequence)
        except Conflict:
            return False
        return True

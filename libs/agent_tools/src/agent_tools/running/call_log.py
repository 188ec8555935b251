"""What the log says of a call, and what a runner adds to it: at most one claim and one result."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import structlog
from cachetools import LRUCache

from agent_contracts.errors import Conflict, ErrorKind, Permanent, Transient
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import event_of
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.outside import Sources, with_news
from agent_contracts.session_events.decisions import ToolCallCancelled, ToolCallRequested
from agent_contracts.session_events.results import CallClaimed
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import events, first_event
from agent_platform.log.once import IsIt, append_once
from agent_platform.log.port import Log
from agent_platform.log.result_offers import ResultOffers, append_result, result_of
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from agent_tools.running.call import CallKey, RequestedCall
from agent_tools.running.results import ResultEvent

_TOLD = 1_000
"""Lists of sources that are remembered: most calls refer to one that was read before."""
_FIRST_DELAY_S, _LONGEST_DELAY_S = 0.05, 2.0

log = structlog.get_logger()


class CallLog:
    """Reads and writes the events around tool calls in the name of one runner process.

    Writes are repeated under the same message id for as long as the log can't be reached: giving up would
    throw away the result of something that has happened. Cancelling the task ends that.
    """

    def __init__(
        self, log: Log, clock: Clock, source: str, runner: str, offers: ResultOffers | None = None
    ) -> None:
        """`source` names the service in the events it writes, `runner` the process: no other has its name.
        Results are offered to `offers` first."""
        self.runner = runner
        self._offers = offers
        self._log = log
        self._clock = clock
        self._source = source
        self._told: LRUCache[tuple[SessionKey, int], Sources] = LRUCache(_TOLD)

    async def told(self, asked: RecordedEvent[Any]) -> Sources:
        """The sources of the request that this one refers to, and of those that refers to; none where it
        names all of its own. `Permanent` where the session has no such request."""
        request, at = asked.event, getattr(asked.event, "outside_as", None)
        if not isinstance(request, ToolCallRequested) or at is None:
            return ()
        session = parse_session_subject(asked.subject).key
        found = self._told.get((session, at))
        if found is None:
            before = await self._naming(session, at, asked.sequence)
            found = with_news(await self.told(before), before.event.outside)
            self._told[session, at] = found
        return found

    async def _naming(self, session: SessionKey, at: int, asked: int) -> RecordedEvent[Any]:
        """The request in a record that names sources, or refers to such; before the one that asks."""
        for message in await self._log.record(at) if at < asked else ():
            recorded = event_of(message) if message.subject.startswith(f"{session.prefix}.") else None
            named = recorded.event if recorded is not None else None
            if isinstance(named, ToolCallRequested) and (named.outside or named.outside_as is not None):
                assert recorded is not None
                return recorded
        raise Permanent(f"no request of the session names sources in event {at}", kind="bad_event")

    async def is_over(self, call: RequestedCall) -> bool:
        """Whether the call has a result, or was cancelled."""
        result, cancelled = await asyncio.gather(
            result_of(self._log, call.key.session, call.key.call_id, after=call.sequence),
            self.is_cancelled(call),
        )
        return result is not None or cancelled

    async def is_cancelled(self, call: RequestedCall) -> bool:
        """Whether the engine decided that the call ends without a result."""
        async for event in self._cancellations(call):
            if event.call_id == call.key.call_id:
                return True
        return False

    async def _cancellations(self, call: RequestedCall) -> AsyncIterator[ToolCallCancelled]:
        key = call.key
        subject = key.session.decision(type_of(ToolCallCancelled))
        newest = await self._log.last(subject)
        if newest is None or newest.sequence < call.sequence:
            return
        async for recorded in events(self._log.read(subject, after=call.sequence)):
            yield recorded.event

    async def claim(self, call: RequestedCall) -> bool:
        """Claim an external call, for ever. False if it was claimed before: by whom doesn't matter, since
        whoever did may have acted."""
        claimed = CallClaimed(call.key.call_id, self.runner)
        try:
            await self._append(call.key.session.claims, claimed, call)
        except Conflict:
            return False
        return True

    async def is_claimed(self, call: RequestedCall) -> bool:
        """Whether any runner claimed the call."""
        claims, is_it = call.key.session.claims, _claims(call.key)
        return await first_event(self._log, claims, after=call.sequence, such_that=is_it) is not None

    async def record(self, call: RequestedCall, event: ResultEvent) -> bool:
        """Append the result of a call. False if it has one already, which then counts.

        Raises `Rejected` where the log refuses the event as such.
        """
        try:
            await self._append(call.key.session.results, event, call)
        except Conflict:
            return False
        error = getattr(event, "error", None)
        if error is not None and error.kind == ErrorKind.OUTCOME_UNKNOWN:
            log.warning("call.outcome_unknown", call=str(call.key), reason=error.message)
        return True

    async def _append(self, subject: str, event: CallClaimed | ResultEvent, call: RequestedCall) -> None:
        """Append the claim, or the result, of a call; `Conflict` if it has one.

        A message that isn't an event, or a result from before the call was asked for, counts for nobody.

        It has an id of its own. One made of runner and attempt would come again when the server forgets, by a
        crash, that it delivered the call: the log would take another event for a repeat of the first.
        """
        key, asked = call.key, call.sequence
        traceparent = current_traceparent() or call.traceparent
        origin = Origin(self._source, causation=asked, prev=asked, traceparent=traceparent)
        message, _ = event_message(event, subject, origin, self._clock)
        delay = _FIRST_DELAY_S
        interruption = Interruption("append", call=str(key), subject=subject)
        while True:
            try:
                if isinstance(event, CallClaimed):
                    await append_once(self._log, message, key.session, _claims(key), after=asked)
                else:
                    await append_result(self._log, self._offers, message, key.call_id, after=asked)
                interruption.over()
                return
            except Transient as error:
                if error.kind == "closed":
                    raise
                interruption.hit(error.message, again_in_s=delay)
            await asyncio.sleep(delay)
            delay = min(delay * 2, _LONGEST_DELAY_S)


def _claims(key: CallKey) -> IsIt:
    def is_it(one: RecordedEvent[Any]) -> bool:
        return isinstance(one.event, CallClaimed) and one.event.call_id == key.call_id

    return is_it

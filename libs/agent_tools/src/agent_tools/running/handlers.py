"""What the runner does with each request it is delivered, and with each it must give up."""

import asyncio
import time
from weakref import WeakValueDictionary

import structlog

from agent_contracts.errors import ErrorKind, Permanent, Rejected, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.records import SkippedMessage, StoredMessage, event_of, read
from agent_contracts.session_events.results import Accounting
from agent_contracts.tool_spec import Effect
from agent_platform.observing.binding import bound
from agent_platform.observing.slowness import tell_if_slow
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.consumer import Delivery
from agent_tools.running.call import CallKey, RequestedCall, call_from
from agent_tools.running.call_log import CallLog
from agent_tools.running.cancellations import RecentlyStopped
from agent_tools.running.failures import outcome_unknown
from agent_tools.running.results import CallReport, ResultEvent, failed
from agent_tools.running.runner import ToolRunner

log = structlog.get_logger()

FRESH_S = 5.0
"""Up to this age, in seconds, a request that is delivered for the first time runs without asking the log."""


class ToolCalls:
    """Handles requests to run a tool. Any number of runners may: each call gets one result."""

    def __init__(self, runner: ToolRunner, calls: CallLog, clock: Clock) -> None:
        self._runner = runner
        self._calls = calls
        self._clock = clock
        self._stopped = RecentlyStopped()
        self._turns: WeakValueDictionary[CallKey, asyncio.Lock] = WeakValueDictionary()
        self._in_hand: dict[CallKey, asyncio.Event] = {}

    async def handle(self, delivery: Delivery) -> None:
        """Run the call, unless it is over, and record its result. Harmless when repeated.

        A message that isn't an event asks for nothing.

        A request that is delivered again while it is in hand here waits for the first delivery's end.
        """
        found = read(delivery.message)
        if isinstance(found, SkippedMessage):
            log.warning("request.skipped", subject=found.subject, kind=found.kind, problem=found.problem)
            return
        call = call_from(found, await self._calls.told(found))
        with bound(session_id=call.key.session.session_id, call_id=call.key.call_id, tool=call.tool):
            async with self._turns.setdefault(call.key, asyncio.Lock()):
                await self._handle(call, delivery.attempt, is_first=delivery.is_first)

    async def _handle(self, call: RequestedCall, attempt: int, *, is_first: bool) -> None:
        await stop_point("runner.received")
        began = time.perf_counter()
        cancelled = self._in_hand[call.key] = asyncio.Event()
        try:
            if await self._is_over(call, is_first=is_first):
                log.info("call.over_already", attempt=attempt)
                return
            event = await self._runner.run(call, attempt, cancelled)
            await stop_point("runner.ran")
            if event is None:
                log.info("call.cancelled", attempt=attempt)
                return
            await self._record(call, event, attempt)
            await stop_point("runner.recorded")
            log.info("call.ended", type=type(event).__name__, attempt=attempt, ms=_ms_since(began))
            tell_if_slow("call", time.perf_counter() - began)
        finally:
            del self._in_hand[call.key]

    async def _is_over(self, call: RequestedCall, *, is_first: bool) -> bool:
        """Whether there is nothing to do any more.

        Of a fresh request that is known unless the engine told to stop it: to ask the log for each call would
        cost each a round trip. Should word of it not have come, the call runs, as if it had come later.
        """
        age = abs((self._clock.now() - call.requested_at).total_seconds())
        fresh = is_first and age <= FRESH_S and not self._stopped.includes(call.key)
        return not fresh and await self._calls.is_over(call)

    async def _record(self, call: RequestedCall, event: ResultEvent, attempt: int) -> None:
        try:
            recorded = await self._calls.record(call, event)
        except (Rejected, Permanent) as error:
            log.error("result.refused", kind=error.kind, error=error.message)
            reason = ToolError(ErrorKind.INTERNAL, f"the result could not be recorded: {error.message}")
            ran = CallReport(call.key.call_id, self._calls.runner, Accounting(attempt=attempt))
            recorded = await self._calls.record(call, failed(reason, ran))
        if not recorded:
            log.warning("result.dropped", attempt=attempt, reason="another result came first")

    def stop(self, session_id: SessionId, call_id: CallId | None) -> None:
        """The engine cancelled this call, or ended the session: stop what is in hand of it here."""
        self._stopped.add(session_id, call_id)
        for key, cancelled in self._in_hand.items():
            if key.session.session_id == session_id and call_id in (None, key.call_id):
                cancelled.set()

    async def give_up(self, message: StoredMessage, reason: str) -> None:
        """End a call that can't be handled, so that its session doesn't wait for ever. For a request that
        can't be read no session waits: it is no event for anybody."""
        asked = event_of(message)
        if asked is None:
            log.error("request.given_up", subject=message.subject, sequence=message.sequence, reason=reason)
            return
        call = call_from(asked)
        ran = CallReport(call.key.call_id, self._calls.runner, Accounting(attempt=0))
        if call.effect is Effect.EXTERNAL_IDEMPOTENT or await self._calls.is_claimed(call):
            error = outcome_unknown(f"no runner could finish it ({reason})")
        else:
            error = ToolError(ErrorKind.INTERNAL, f"no runner could finish this call: {reason}")
        recorded = await self._calls.record(call, failed(error, ran))
        log.error("call.given_up", call=str(call.key), reason=reason, recorded=recorded)


def _ms_since(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)

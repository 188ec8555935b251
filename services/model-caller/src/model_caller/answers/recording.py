"""The one result of a model call."""

import structlog
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from agent_contracts.errors import Conflict, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.log.result_offers import ResultOffers, append_result
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from model_caller.service import DECLARATION

SOURCE = DECLARATION.source
PATIENCE_S = 60.0
"""How long an answer that was paid for is held while the log can't be reached."""

log = structlog.get_logger()


class Recorder:
    """Appends results, each call's once and for all."""

    def __init__(
        self, events: Log, clock: Clock, offers: ResultOffers | None = None, *, patience_s: float = PATIENCE_S
    ) -> None:
        """Results are offered to `offers` first."""
        self._events = events
        self._offers = offers
        self._clock = clock
        self._patience_s = patience_s

    async def record(self, request: StoredMessage, event: ModelCallCompleted | ModelCallFailed) -> None:
        """Append the result of the call that `request` asked for.

        If there is a result already, that one counts. `Transient` if the log can't be reached for long.
        """
        about = session_subjects.parse_session_subject(request.subject).key
        origin = Origin(SOURCE, Actor.AGENT, request.sequence, request.sequence, current_traceparent())
        message, _ = event_message(event, about.results, origin, self._clock)
        try:
            await self._append(message, event.call_id, request.sequence)
        except Conflict:
            log.info("model.result_known", call_id=event.call_id)

    async def _append(self, message: NewMessage, call_id: CallId, asked: int) -> None:
        try:
            await append_result(self._events, self._offers, message, call_id, after=asked)
            return
        except Transient as failure:
            log.warning("model.result_delayed", reason=failure.message)
        async for trial in self._retrying():
            with trial:
                await append_result(self._events, self._offers, message, call_id, after=asked)

    def _retrying(self) -> AsyncRetrying:
        return AsyncRetrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_after_delay(self._patience_s),
            wait=wait_random_exponential(0.05, 5.0),
            reraise=True,
        )

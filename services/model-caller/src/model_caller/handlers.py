"""The model caller: for every committed request, ask the model and record what it said."""

import asyncio
from collections.abc import Iterable
from typing import Any, Literal
from weakref import WeakValueDictionary

import msgspec
import structlog

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.event import Event
from agent_contracts.ids import CallId
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import SkippedMessage, StoredMessage, decode, event_of, read
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.moments import milliseconds_between
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import (
    CutReason,
    ModelCallCompleted,
    ModelCallFailed,
    ModelFailure,
)
from agent_domain.budgets.budgets import Budgets
from agent_domain.budgets.ledger import Spender, sum_of
from agent_platform.log.port import Log
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.result_offers import result_of
from agent_platform.log.storable_text import storable_text
from agent_platform.observing.binding import bound
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.consumer import Delivery
from model_caller.answers.failures import ModelFault, words
from model_caller.answers.pacing import paced
from model_caller.answers.recording import Recorder
from model_caller.answers.thinking_kept import ThinkingTexts
from model_caller.answers.workforce import ToolWorkers, checked
from model_caller.calls.bounds import Bounds
from model_caller.calls.call_spending import CallBudget, CallSpending
from model_caller.calls.cancelling import Cancellations, StopSignal
from model_caller.calls.deltas import DeltaChannel
from model_caller.calls.fallback import ChainOutcome, ChainStep, Fallback
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.outcome import Elsewhere, ModelOutcome
from model_caller.calls.overflows import Overflows
from model_caller.calls.preparation import Preparation, PreparedCall, RequestMaterial
from model_caller.calls.results import ended_as, tell
from model_caller.calls.server_prober import ServerProber
from model_caller.choosing.target import ModelTarget

log = structlog.get_logger()

_FRESH_MS = 5_000
"""Up to this age a request that is delivered for the first time is answered without asking the log whether it
is still wanted."""


class _Asking(msgspec.Struct, frozen=True):
    """For whom a model is asked, who hears of it, and what comes after it. `takes_over`: a caller died."""

    about: SessionKey
    channel: DeltaChannel
    stop: StopSignal
    takes_over: bool
    elsewhere: Elsewhere


class ModelCaller:
    """Handles model call requests. A call that is repeated costs tokens again, but has one result."""

    def __init__(  # noqa: PLR0913 — the steps of a call, each named
        self,
        events: Log,
        preparation: Preparation,
        asking: ModelAsker,
        recorder: Recorder,
        cancellations: Cancellations,
        probing: ServerProber,
        quota: DailyQuota,
        budgets: Budgets,
        workforce: ToolWorkers,
        overflows: Overflows,
        fallback: Fallback,
        thinking: ThinkingTexts,
        clock: Clock,
    ) -> None:
        self._events = events
        self._preparation = preparation
        self._asking = asking
        self._recorder = recorder
        self._cancellations = cancellations
        self._probing = probing
        self._quota = quota
        self._budgets = budgets
        self._workforce = workforce
        self._overflows = overflows
        self._fallback = fallback
        self._thinking = thinking
        self._clock = clock
        self._in_hand: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def handle(self, delivery: Delivery) -> None:
        """One delivery of a request. Ends with its result in the log, or because nobody wants it any more."""
        await stop_point("model.received")
        found = read(delivery.message)
        if isinstance(found, SkippedMessage):
            log.warning("request.skipped", subject=found.subject, kind=found.kind, problem=found.problem)
            return
        asked = _request(found)
        about = session_subjects.parse_session_subject(delivery.message.subject).key
        call_id = asked.event.call_id
        # A redelivery of what this very process still works on waits, and then finds the result.
        lock = self._in_hand.setdefault(delivery.message.sequence, asyncio.Lock())
        with bound(session_id=about.session_id, call_id=call_id):
            async with lock:
                with self._cancellations.watched(about.session_id, call_id) as stop:
                    await self._call(about, asked, delivery, stop)

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """A request that no delivery brought to an end: record that, so that the session doesn't wait."""
        asked = _request(decode(message))
        failed = ModelCallFailed(
            call_id=asked.event.call_id,
            kind=ModelFailure.DELIVERIES_EXHAUSTED,
            message=f"The call to the model could not be carried out: {storable_text(reason)}",
            model=asked.event.model or "",
            attempts=0,
            retryable=True,
        )
        await self._recorder.record(message, failed)
        self._budgets.ended(asked.event.call_id, None)

    async def _call(
        self,
        about: SessionKey,
        asked: RecordedEvent[ModelCallRequested],
        delivery: Delivery,
        stop: StopSignal,
    ) -> None:
        is_fresh = self._is_fresh(about, asked, delivery)
        # Each request of a session that was imported or restored comes: it isn't folded anew for each.
        if not is_fresh and await self._is_over(about, asked, delivery):
            return
        material = await self._preparation.read(about, asked, delivery.events if is_fresh else None)
        ended = _ended_by(asked.event.call_id, material.later)
        if ended == "answered":  # meanwhile
            await self._is_over(about, asked, delivery)
            return
        if ended is not None:
            stop.tell()  # never asked; the session waits to be told that nothing was said
        else:
            refused = await self._over_quota(about, asked.event)
            if refused is not None:
                await self._recorder.record(delivery.message, refused)
                return
        said_to_nobody = asked.event.purpose == "summary"
        channel = DeltaChannel(about.deltas, about.session_id, asked.event.call_id, quiet=said_to_nobody)
        answered = await self._ask(about, material, asked, channel, stop, delivery.attempt - 1)
        prepared, outcome = answered.prepared, answered.outcome
        if outcome.cut == "stopped":
            cut = ended or await self._why_stopped(about, asked)
            if cut == "answered":
                return
            outcome = outcome.cut_since(cut)
        result = ended_as(asked, answered, outcome, delivery.attempt - 1)
        if isinstance(result, ModelCallFailed) and result.kind is ModelFailure.CONTEXT_LENGTH:
            assert outcome.fault is not None
            result = await self._overflows.told(material.session, asked, prepared, outcome.fault, result)
        if isinstance(result, ModelCallCompleted):
            result = await checked(result, self._workforce)
            calls = await paced(
                result.tool_calls, about.agent_id, prepared.external_calls, self._budgets.pace
            )
            thinking = await self._thinking.keep(result.thinking, about.agent_id)
            result = msgspec.structs.replace(result, tool_calls=calls, thinking=thinking)
        if outcome.fault is not None:
            await self._probing.failed(prepared.target, outcome.fault)
        await stop_point("model.answered")
        try:
            await self._recorder.record(delivery.message, result)
        except Rejected as failure:
            if failure.kind != "too_large":
                raise
            fault = ModelFault(ModelFailure.MALFORMED_ANSWER, failure.message, transient=False)
            outcome = ModelOutcome(None, fault, outcome.attempts, outcome.took_ms)
            result = ended_as(asked, answered, outcome, delivery.attempt - 1)
            await self._recorder.record(delivery.message, result)
        await stop_point("model.recorded")
        if prepared.caps or not delivery.is_first:
            spent = sum_of(result.usage) if isinstance(result, ModelCallCompleted) else None
            self._budgets.ended(asked.event.call_id, spent)
        tell(result)

    async def _is_over(
        self, about: SessionKey, asked: RecordedEvent[ModelCallRequested], delivery: Delivery
    ) -> bool:
        """Whether the request has its result; then what that cost is counted."""
        call_id = asked.event.call_id
        known = await result_of(self._events, about, call_id, after=asked.sequence)
        if known is None:
            return False
        log.info("model.call_over_already", attempt=delivery.attempt)
        answer = known.event
        spent = sum_of(answer.usage) if isinstance(answer, ModelCallCompleted) else None
        self._budgets.ended(call_id, spent)
        return True

    def _is_fresh(
        self, about: SessionKey, asked: RecordedEvent[ModelCallRequested], delivery: Delivery
    ) -> bool:
        """Whether nobody can have answered the request, or stopped it unheard: then the log needn't be asked
        what came after it. Should word of it not have come, the model is asked, as if it had come later."""
        age = abs(milliseconds_between(rfc3339(self._clock.now()), asked.envelope.time))
        return delivery.is_first and age <= _FRESH_MS and not self._cancellations.lately(about.session_id)

    async def _over_quota(self, about: SessionKey, asked: ModelCallRequested) -> ModelCallFailed | None:
        """Why the model isn't asked any more today: what it would say has no place in the log."""
        try:
            await self._quota.require(about.agent_id)
        except Rejected as refused:
            return ModelCallFailed(
                call_id=asked.call_id,
                kind=ModelFailure.QUOTA_EXCEEDED,
                message=f"The model was not asked: {refused.message}",
                model=asked.model or "",
                attempts=0,
                retryable=True,
                retry_after_s=self._quota.seconds_left() + 1,
            )
        return None

    async def _ask(  # noqa: PLR0913 — what of whom, and who hears of it
        self,
        about: SessionKey,
        material: RequestMaterial,
        asked: RecordedEvent[ModelCallRequested],
        channel: DeltaChannel,
        stop: StopSignal,
        deliveries_before: int,
    ) -> ChainOutcome[PreparedCall]:
        """What was asked of which model, and how it ended."""
        targets = self._preparation.targets(material, asked)
        earlier = deliveries_before * self._asking.most_attempts(len(targets))

        async def ask(step: ChainStep) -> tuple[PreparedCall, ModelOutcome]:
            asking = _Asking(about, channel, stop, deliveries_before > 0, step.elsewhere)
            before = earlier + step.attempts_before
            if step.since is not None:
                await self._asking.tell_next(channel, before, step.since, step.target.model)
            return await self._ask_one(material, asked, step.target, asking, before)

        return await self._fallback.ask(targets, about.session_id, ask)

    async def _ask_one(
        self,
        material: RequestMaterial,
        asked: RecordedEvent[ModelCallRequested],
        target: ModelTarget,
        asking: "_Asking",
        before: int,
    ) -> tuple[PreparedCall, ModelOutcome]:
        """A refused request is tried once without the own tools that may be why."""
        prepared = await self._preparation.prepare(material, asked, target)
        if self._overflows.is_certain(material.session, prepared):
            unsent = ModelFault(ModelFailure.CONTEXT_LENGTH, "")
            return prepared, ModelOutcome(None, unsent, 0, 0)
        outcome = await self._ask_for(prepared, asking, before)
        while outcome.wanted is not None:  # each adaptation once
            adapted = msgspec.structs.replace(target, adapted=outcome.wanted)
            prepared = await self._preparation.prepare(material, asked, adapted)
            again = await self._ask_for(prepared, asking, before + outcome.attempts)
            outcome = again.after(outcome)
        if outcome.answer is not None and outcome.cut is None:
            self._preparation.took(prepared)
        if outcome.fault is None or outcome.fault.failure is not ModelFailure.BAD_REQUEST:
            return prepared, outcome
        said = storable_text(words(outcome.fault))
        suspects = await self._preparation.suspects(material, prepared, said)
        if not suspects:
            return prepared, outcome
        log.warning("model.request_refused", said=said, without=[one.tool for one in suspects])
        adapted = msgspec.structs.replace(target, adapted=outcome.adapted)
        without = await self._preparation.prepare(material, asked, adapted, suspects)
        again = (await self._ask_for(without, asking, before + outcome.attempts)).after(outcome)
        if again.fault is not None and again.fault.failure is ModelFailure.BAD_REQUEST:
            return prepared, outcome.after(again)
        if again.answer is not None and again.cut is None:
            self._preparation.took(without)
        return without, again

    async def _ask_for(self, prepared: PreparedCall, asking: "_Asking", attempts_before: int) -> ModelOutcome:
        about, stop, channel = asking.about, asking.stop, asking.channel
        spender = Spender(about.agent_id, about.session_id, channel.call_id, prepared.session_micros)
        price = prepared.prices.of(prepared.target)
        purse = CallBudget(
            self._budgets, self._clock, spender, prepared.caps, price, takes_over=asking.takes_over
        )
        spending = CallSpending(purse, prepared.target, stop)
        besides = prepared.shown.added
        bounds = Bounds(
            stop,
            prepared.tokens_left,
            spending,
            takes_half=besides != "summary",
            takes_nothing=besides == "warning",
            answer_limit=prepared.answer_limit,
        )
        outcome = await self._asking.ask(
            prepared.request,
            prepared.target,
            channel,
            bounds=bounds,
            attempts_before=attempts_before,
            prices=prepared.prices,
            elsewhere=asking.elsewhere,
        )
        return msgspec.structs.replace(outcome, max_tokens=spending.max_tokens or prepared.answer_limit)

    async def _why_stopped(
        self, about: SessionKey, asked: RecordedEvent[ModelCallRequested]
    ) -> CutReason | Literal["answered"]:
        """The session's log must say that the call was cut off; were it only a rumour, it is asked again."""
        later = [message async for message in self._events.read(about.everything, after=asked.sequence)]
        ended = _ended_by(asked.event.call_id, later)
        if ended is None:
            raise Transient("a model call was stopped that its session still waits for", retry_after=0.5)
        log.info("model.call_cut_off", reason=ended)
        return ended


def _request(recorded: RecordedEvent[Any]) -> RecordedEvent[ModelCallRequested]:
    if not isinstance(recorded.event, ModelCallRequested):
        raise Permanent(f"event {recorded.sequence} is not a model call request", kind="bad_event")
    return recorded


def _ended_by(call_id: CallId, later: Iterable[StoredMessage]) -> CutReason | Literal["answered"] | None:
    """Why the answer to a call is wanted no more, by what its session has after its request."""
    why: CutReason | Literal["answered"] | None = None
    for message in later:
        recorded = event_of(message)
        if recorded is None:
            continue
        event = recorded.event
        if isinstance(event, ModelCallCompleted | ModelCallFailed) and event.call_id == call_id:
            return "answered"
        why = why or cut_by(call_id, event)
    return why


def cut_by(call_id: CallId, later: Event) -> CutReason | None:
    """Why an event after a call's request means that its answer is to be broken off; None if it doesn't."""
    match later:
        case ev.BecameIdle(cancelled_model_call=cancelled) if cancelled == call_id:
            return "stopped"
        case inputs.Interrupted():
            return "stopped"
        case inputs.Archived() | ev.Completed() | ev.Failed() | ev.Rewound(conversation=True):
            return "cancelled"
        case _:
            return None

"""Ask a model, as often as it takes."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import cast

import msgspec
import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from agent_contracts.questions.queries import RetryNotice
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_platform.process.stop_points import stop_point
from agent_platform.secrecy.failure_text import bug_text, failure_of
from model_caller.answers.answer import AnswerEnding, AnswerPiece, AnswerTooLarge, Assembly, ProviderAnswer
from model_caller.answers.failures import ModelFault, in_short
from model_caller.calls.answer_limits import is_too_long
from model_caller.calls.bounds import Bounds
from model_caller.calls.calls_in_hand import CallsInHand
from model_caller.calls.cancelling import StopSignal, WorkStopped
from model_caller.calls.checking import checked, repeated
from model_caller.calls.deltas import DeltaChannel, DeltaPublisher, Deltas, tell_retry
from model_caller.calls.outcome import Elsewhere, ModelOutcome, nowhere
from model_caller.calls.repetition import Repetition
from model_caller.choosing.call_adaptations import CallAdaptations
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.pricing.prices import Prices
from model_caller.providers.adapting.refusals import adaptation_for
from model_caller.providers.adapting.requests import sent_fields
from model_caller.providers.counting import counted
from model_caller.providers.interfaces import INTERFACES
from model_caller.providers.port import Provider
from session_domain.model_requests.request import ModelRequest

log = structlog.get_logger()

_PAID = (
    ModelFailure.TIMEOUT,
    ModelFailure.CUT_STREAM,
    ModelFailure.MALFORMED_ANSWER,
    ModelFailure.EMPTY_ANSWER,
)
"""Failures of which a server had taken the request, so that it may want to be paid for it."""


_LONGEST_WAIT_ELSEWHERE_S = 5.0
"""For a server that names a longer time, nobody waits who can ask another one."""


async def _forgets(_: ModelTarget) -> None:
    """What was tried is not remembered."""


class ModelAsker:
    """Asks a provider within limits, telling deltas as they come. A request that is refused for its form is
    asked again at once in another one; with `learned`, it is remembered that the model answers so. `in_hand`
    knows the calls that have not ended."""

    def __init__(  # noqa: PLR0913 — what it is made of
        self,
        provider: Provider,
        live: DeltaPublisher,
        limits: ModelCallLimits,
        *,
        learned: Callable[[ModelTarget], Awaitable[None]] = _forgets,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        in_hand: CallsInHand | None = None,
    ) -> None:
        self._provider = provider
        self._learned = learned
        self._live = live
        self._limits = limits
        self._sleep = sleep
        self._in_hand = in_hand or CallsInHand()

    async def ask(  # noqa: PLR0913 — what, whom, until when, at what price
        self,
        request: ModelRequest,
        target: ModelTarget,
        channel: DeltaChannel,
        *,
        bounds: Bounds | None = None,
        attempts_before: int = 0,
        prices: Prices | None = None,
        elsewhere: Elsewhere = nowhere,
    ) -> ModelOutcome:
        """The outcome, after repeats where they make sense.

        Of an answer that is broken off, since it is told to stop or passes its bounds, what had arrived is
        kept. Deltas count attempts on after `attempts_before` of the same call. Where another one is asked
        `elsewhere`, this one is repeated once at the most.
        """
        bounds = bounds or Bounds()
        await self._provider.warm_up(target)
        began = time.monotonic()
        heard: list[Assembly] = []
        attempts = 0
        wanted: CallAdaptations | None = None

        async def pause(seconds: float) -> None:
            async with bounds.stop.within(None):
                await self._sleep(seconds)

        retrying = AsyncRetrying(
            retry=retry_if_exception(_AsksAgain()),
            stop=lambda state: self._stop(state) or _moves_on(state, elsewhere),
            wait=self._wait,
            before_sleep=self._telling(channel, attempts_before, elsewhere),
            sleep=pause,
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    while True:
                        if bounds.stop.is_told:
                            raise WorkStopped
                        sent = request if bounds.spending is None else await bounds.spending.allow(request)
                        attempts += 1
                        heard.append(Assembly())
                        telling = channel, attempts_before + attempts
                        try:
                            answer = await self._once(sent, target, telling, bounds, heard[-1])
                        except ModelFault as fault:
                            await self._failed(request, target, bounds, heard[-1], fault, prices)
                            if not _is_paid(fault, heard[-1]):
                                heard.pop()  # nothing was done for it
                            changed = _adapted_to(fault, request, target)
                            if changed is None:
                                raise
                            if changed.needs_prompt:
                                wanted = changed
                                raise
                            target = msgspec.structs.replace(target, adapted=changed)
                        else:
                            break
                    answer = _priced(answer, target, prices)
                    if bounds.spending is not None:
                        bounds.spending.ended(answer.ending.usage)
                    if target.adapted.tried:
                        await self._learned(target)
                    return ModelOutcome(answer, None, attempts, _ms_since(began), adapted=target.adapted)
        except ModelFault as fault:
            took, seen = _ms_since(began), None
            if _seen(heard) is not None:
                seen = _priced(await self._stopped(request, heard, took), target, prices)
            return ModelOutcome(None, fault, attempts, took, adapted=target.adapted, wanted=wanted, said=seen)
        except WorkStopped:
            took = _ms_since(began)
            said = _priced(await self._stopped(request, heard, took), target, prices)
            if bounds.spending is not None:
                bounds.spending.ended(said.ending.usage)
            return ModelOutcome(said, None, attempts, took, adapted=target.adapted)
        except BaseException:  # cancelled, or a bug: nobody else will say what it cost
            if bounds.spending is not None:
                cut = counted(request, heard[-1]) if heard else Usage(0, 0)
                bounds.spending.ended((prices or Prices()).priced(cut, target))
            raise
        raise AssertionError("tenacity ended without an outcome")

    async def _failed(  # noqa: PLR0913 — of which attempt at what
        self,
        request: ModelRequest,
        target: ModelTarget,
        bounds: Bounds,
        heard: Assembly,
        fault: ModelFault,
        prices: Prices | None,
    ) -> None:
        """An attempt failed: its request is paid for if the server began with it, and what it answered."""
        if bounds.spending is None:
            return
        usage = fault.usage or Usage(0, 0)
        if fault.usage is None and _is_paid(fault, heard):
            usage = await self._provider.count(request, heard)
        bounds.spending.ended((prices or Prices()).priced(usage, target))

    async def _stopped(self, request: ModelRequest, heard: list[Assembly], took: int) -> ProviderAnswer:
        """What was last said, in whichever attempt: that is what people saw."""
        said = _seen(heard) or Assembly()
        usage = await self._provider.count(request, said) if heard else Usage(0, 0)
        ending = AnswerEnding(None, usage, cut="stopped")
        return ProviderAnswer(said.text, said.calls(), ending, took, None, thinking=said.thinking)

    async def _once(
        self,
        request: ModelRequest,
        target: ModelTarget,
        telling: tuple[DeltaChannel, int],
        bounds: Bounds,
        assembly: Assembly,
    ) -> ProviderAnswer:
        channel, attempt = telling
        began = time.monotonic()
        first: int | None = None
        heard = told = 0
        characters = request.size
        repetition = Repetition()
        patience = self._limits.first_token_of(target.own_url)
        try:
            async with (
                self._in_hand.one_of(target.model) as call,
                Deltas(self._live, channel, attempt) as deltas,
                aclosing(self._provider.stream(request, target)) as pieces,
            ):
                while True:
                    within = patience if first is None else self._limits.silence
                    piece = await self._next(pieces, bounds.stop, within, started=first is not None)
                    if first is None and (isinstance(piece, AnswerEnding) or not piece.is_sign_of_life):
                        first, call.is_answered = _ms_since(began), True
                    if isinstance(piece, AnswerEnding):
                        break
                    heard += not piece.is_sign_of_life
                    assembly.add(piece)
                    if piece.prompt_read is not None:
                        deltas.prompt_read(piece.prompt_read)
                    if piece.thinking or piece.was_thinking:
                        deltas.thinking(piece.thinking, was_thinking=piece.was_thinking)
                    deltas.text(piece.text)
                    if bounds.spending is not None:
                        bounds.spending.heard(assembly)
                    if bounds.passed(characters, assembly):
                        usage = await self._provider.count(request, assembly)
                        piece = AnswerEnding(None, usage, cut="token_limit")
                        log.info("model.cut_off_at_token_limit", call_id=channel.call_id)
                        break
                    if is_too_long(assembly, bounds.answer_limit):
                        piece = AnswerEnding("length", await self._provider.count(request, assembly))
                        log.info("model.cut_off_at_answer_limit", call_id=channel.call_id)
                        break
                    if repetition.hears(piece):
                        usage = await self._provider.count(request, assembly)
                        piece = repeated(usage, bounds)
                        log.info("model.repeated_itself", call_id=channel.call_id)
                        break
                    if piece.tools:
                        told = _tell_tools(deltas, assembly.names(), told)
                    await stop_point("model.streaming")
                _tell_tools(deltas, assembly.names(ended=True), told)
        except AnswerTooLarge as failure:
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, failure.message, transient=False) from failure
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
            # What builds the request or reads the answer failed on this very request: it would again.
            log.exception("model.attempt_bug", call_id=channel.call_id, attempt=attempt)
            raise ModelFault(ModelFailure.INTERNAL, _words_of_bug(error), transient=False) from error
        except ModelFault as fault:
            log.info(
                "model.attempt_failed",
                call_id=channel.call_id,
                attempt=attempt,
                kind=fault.kind,
                transient=fault.transient,
            )
            raise
        took = _ms_since(began)
        answer = ProviderAnswer(
            assembly.text[: repetition.kept],
            assembly.calls(),
            piece,
            took,
            first if heard > 1 else None,
            thoughts=assembly.thoughts(),
            thinking=assembly.thinking,
        )
        return checked(answer, bounds)

    async def _next(
        self,
        pieces: AsyncIterator[AnswerPiece | AnswerEnding],
        stop: StopSignal,
        seconds: float | None,
        *,
        started: bool,
    ) -> AnswerPiece | AnswerEnding:
        """The next piece. Each sign of life gives the server as much time again."""
        try:
            async with stop.within(seconds):
                return await anext(pieces)
        except TimeoutError as error:
            silence = "nothing more came" if started else "no answer came"
            raise ModelFault(ModelFailure.TIMEOUT, f"{silence} within {seconds:g} s") from error
        except StopAsyncIteration as error:
            raise ModelFault(ModelFailure.CUT_STREAM, "the answer ended without its proper end") from error

    def most_attempts(self, targets: int) -> int:
        """How often so many models and keys are asked in one delivery of a call, at the most."""
        return targets * (self._limits.retries + 1)

    async def tell_next(
        self, channel: DeltaChannel, attempts_before: int, fault: ModelFault, model: str
    ) -> None:
        """Tell whoever watches that this model is asked now, since the one before gave no answer."""
        retrying = RetryNotice(attempt=1, attempts=1, in_s=0.0, reason=in_short(fault), model=model)
        await tell_retry(self._live, channel, attempts_before + 1, retrying)

    def _telling(
        self, channel: DeltaChannel, earlier: int, elsewhere: Elsewhere
    ) -> Callable[[RetryCallState], Awaitable[None]]:
        """Tells whoever watches that the model is asked again, and when."""

        async def tell(state: RetryCallState) -> None:
            coming, fault = state.attempt_number + 1, _fault_of(state)
            retrying = RetryNotice(
                attempt=coming,
                attempts=coming if elsewhere(fault) else self._limits.retries + 1,
                in_s=round(state.next_action.sleep if state.next_action else 0.0, 1),
                reason=in_short(fault),
            )
            await tell_retry(self._live, channel, earlier + coming, retrying)

        return tell

    def _stop(self, state: RetryCallState) -> bool:
        if state.attempt_number > self._limits.retries:
            return True
        fault = _fault_of(state)
        if fault.failure is ModelFailure.BUDGET:
            return True  # it waited for long enough
        if fault.retry_after is not None and fault.retry_after > self._limits.longest_wait:
            return True
        return (state.seconds_since_start or 0.0) > self._limits.give_up_after

    def _wait(self, state: RetryCallState) -> float:
        asked = _fault_of(state).retry_after
        if asked is not None:
            return max(0.0, asked)
        delay: float = min(
            self._limits.first_delay * 2 ** (state.attempt_number - 1), self._limits.longest_delay
        )
        return delay * (1 + random.random() / 2)  # by chance, so that many don't come back at once


def _moves_on(state: RetryCallState, elsewhere: Elsewhere) -> bool:
    """Whether another one is asked now: at once where only time helps, or time has passed already."""
    fault = _fault_of(state)
    if not elsewhere(fault):
        return False
    is_slow = fault.failure in (ModelFailure.RATE_LIMITED, ModelFailure.TIMEOUT)
    return is_slow or state.attempt_number > 1 or (fault.retry_after or 0.0) > _LONGEST_WAIT_ELSEWHERE_S


def _seen(heard: Sequence[Assembly]) -> Assembly | None:
    """What was last said, in whichever attempt."""
    return next((one for one in reversed(heard) if one.size or one.reported), None)


def _adapted_to(fault: ModelFault, request: ModelRequest, target: ModelTarget) -> CallAdaptations | None:
    """How the request is changed, since it was refused so; None: that wouldn't help."""
    fields = sent_fields(request, INTERFACES[target.interface].sends)
    found = adaptation_for(fault, request, target.adapted, fields)
    return None if found is None else target.adapted.trying(found)


def _is_paid(fault: ModelFault, heard: Assembly) -> bool:
    return bool(heard.size or heard.reported) or fault.failure in _PAID


def _priced(answer: ProviderAnswer, target: ModelTarget, prices: Prices | None) -> ProviderAnswer:
    usage = (prices or Prices()).priced(answer.ending.usage, target)
    ending = msgspec.structs.replace(answer.ending, usage=usage)
    return msgspec.structs.replace(answer, ending=ending)


class _AsksAgain:
    """Whether an attempt is repeated after this error: an empty answer is asked for once more."""

    def __init__(self) -> None:
        self._was_empty = False

    def __call__(self, error: BaseException) -> bool:
        if not isinstance(error, ModelFault):
            return False
        if error.failure is not ModelFailure.EMPTY_ANSWER:
            return error.transient
        was_empty, self._was_empty = self._was_empty, True
        return not was_empty


def _fault_of(state: RetryCallState) -> ModelFault:
    assert state.outcome is not None
    return cast(ModelFault, state.outcome.exception())


def _words_of_bug(error: Exception) -> str:
    """Names a character that can't be sent. Anything else: only the class, for its text may hold anything."""
    return failure_of(error) if isinstance(error, UnicodeError) else bug_text(error)


def _tell_tools(deltas: Deltas, names: list[str], told: int) -> int:
    for name in names[told:]:
        deltas.tool(name)
    return len(names)


def _ms_since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)

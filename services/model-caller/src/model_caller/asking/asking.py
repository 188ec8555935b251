"""Ask a model, as often as it takes."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import cast

import msgspec
import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from agent_contracts.session_events.results import ModelFailure
from agent_platform.process.stop_points import stop_point
from model_caller.answers.answer import Answer, AnswerTooLarge, Assembly, Ending, Piece
from model_caller.answers.failures import ModelFault
from model_caller.asking.deltas import Channel, Deltas, Live
from model_caller.choosing.target import Target
from model_caller.limits import Limits
from model_caller.providers.port import Provider
from session_domain.domain.evolve_results import CUT_AT_TOKEN_LIMIT
from session_domain.model_requests.request import ModelRequest

log = structlog.get_logger()

CHARACTERS_PER_TOKEN = 4
"""Roughly, in most languages and models: counting each piece exactly would take longer than streaming it."""


class Outcome(msgspec.Struct, frozen=True):
    """How it ended: an answer, or the last attempt's fault. `took_ms` is of all attempts together."""

    answer: Answer | None
    fault: ModelFault | None
    attempts: int
    took_ms: int

    def after(self, earlier: "Outcome") -> "Outcome":
        """The same, with the attempts of an earlier request of the call counted in."""
        return msgspec.structs.replace(
            self, attempts=self.attempts + earlier.attempts, took_ms=self.took_ms + earlier.took_ms
        )


class Asking:
    """Asks a provider within limits, telling deltas as they come."""

    def __init__(
        self,
        provider: Provider,
        live: Live,
        limits: Limits,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._provider = provider
        self._live = live
        self._limits = limits
        self._sleep = sleep

    async def ask(
        self,
        request: ModelRequest,
        target: Target,
        channel: Channel,
        *,
        deliveries_before: int = 0,
        tokens_left: int | None = None,
    ) -> Outcome:
        """The outcome, after repeats where they make sense.

        An answer that takes more than `tokens_left` (with its request, roughly) is cut off, and what arrived
        is kept. Deltas count attempts on after whatever `deliveries_before` of the same call can have told.
        """
        await self._provider.warm_up(target)
        began = time.monotonic()
        earlier = deliveries_before * (self._limits.retries + 1)
        longest = None if tokens_left is None else max(0, tokens_left - _tokens_of(request))
        attempts = 0
        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, ModelFault) and error.transient),
            stop=self._stop,
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    attempts += 1
                    answer = await self._once(request, target, (channel, earlier + attempts), longest)
                    return Outcome(answer, None, attempts, _ms_since(began))
        except ModelFault as fault:
            return Outcome(None, fault, attempts, _ms_since(began))
        raise AssertionError("tenacity ended without an outcome")

    async def _once(
        self, request: ModelRequest, target: Target, telling: tuple[Channel, int], longest: int | None
    ) -> Answer:
        channel, attempt = telling
        began = time.monotonic()
        first: int | None = None
        told = 0
        assembly = Assembly()
        try:
            async with (
                Deltas(self._live, channel, attempt) as deltas,
                aclosing(self._provider.stream(request, target)) as pieces,
            ):
                while True:
                    piece = await self._next(pieces, started=first is not None)
                    first = _ms_since(began) if first is None else first
                    if isinstance(piece, Ending):
                        break
                    assembly.add(piece)
                    deltas.text(piece.text)
                    if longest is not None and assembly.size >= longest * CHARACTERS_PER_TOKEN:
                        piece = Ending(CUT_AT_TOKEN_LIMIT, await self._provider.count(request, assembly))
                        log.info("model.cut_off_at_token_limit", call_id=channel.call_id)
                        break
                    if piece.tools:
                        told = _tell_tools(deltas, assembly.names(), told)
                    await stop_point("model.streaming")
                _tell_tools(deltas, [call.name for call in assembly.calls()], told)
        except AnswerTooLarge as failure:
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, failure.message, transient=False) from failure
        except ModelFault as fault:
            log.info(
                "model.attempt_failed",
                call_id=channel.call_id,
                attempt=attempt,
                kind=fault.kind,
                transient=fault.transient,
            )
            raise
        calls = () if piece.finish_reason == CUT_AT_TOKEN_LIMIT else assembly.calls()
        return _checked(Answer(assembly.text, calls, piece, _ms_since(began), first))

    async def _next(self, pieces: AsyncIterator[Piece | Ending], *, started: bool) -> Piece | Ending:
        seconds = self._limits.silence if started else self._limits.first_token
        try:
            async with asyncio.timeout(seconds):
                return await anext(pieces)
        except TimeoutError as error:
            silence = "nothing more came" if started else "no answer came"
            raise ModelFault(ModelFailure.TIMEOUT, f"{silence} within {seconds:g} s") from error
        except StopAsyncIteration as error:
            raise ModelFault(ModelFailure.CUT_STREAM, "the answer ended without its proper end") from error

    def _stop(self, state: RetryCallState) -> bool:
        if state.attempt_number > self._limits.retries:
            return True
        fault = _fault_of(state)
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


def _tokens_of(request: ModelRequest) -> int:
    return len(msgspec.json.encode(request.as_sent())) // CHARACTERS_PER_TOKEN


def _checked(answer: Answer) -> Answer:
    if answer.ending.finish_reason in ("tool_calls", "function_call") and not answer.calls:
        raise ModelFault(ModelFailure.MALFORMED_ANSWER, "it announced a tool call and sent none")
    return answer


def _fault_of(state: RetryCallState) -> ModelFault:
    assert state.outcome is not None
    return cast(ModelFault, state.outcome.exception())


def _tell_tools(deltas: Deltas, names: list[str], told: int) -> int:
    for name in names[told:]:
        deltas.tool(name)
    return len(names)


def _ms_since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)

"""Questions that tools put to a model: one prompt, one answer, nothing recorded here."""

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

import msgspec
import structlog

from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.questions.generation import Generate, GenerationResult, Intelligence
from agent_contracts.session_events.results import ModelFailure, Overflow
from agent_domain.budgets.budgets import Budgets
from agent_domain.budgets.ledger import Spender
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.storable_text import storable_text
from agent_platform.process.clock import Clock
from model_caller.answers.failures import ModelFault, explain, explain_chain, explain_long_prompt
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.bounds import Bounds
from model_caller.calls.call_spending import CallBudget, CallSpending
from model_caller.calls.cancelling import Cancellations, StopSignal
from model_caller.calls.cool_downs import place_of
from model_caller.calls.deltas import DeltaChannel
from model_caller.calls.fallback import ChainStep, Fallback
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.outcome import ModelOutcome
from model_caller.calls.overflows import needed_of
from model_caller.choosing.model_choice import choice_of
from model_caller.choosing.target import ModelTarget, targets_for
from model_caller.pricing.prices import Prices
from model_caller.settings import ModelCallerSettings
from session_domain.domain.window import KnownWindow, refused
from session_domain.model_requests.request import ModelRequest

LARGEST_IMAGE = 5 * 1024 * 1024
"""Bytes; what providers take of one picture."""
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)

log = structlog.get_logger()


FAILED = msgspec.json.encode(
    GenerationResult(error_kind=ErrorKind.INTERNAL, error="the model caller failed; its log says why")
)
STOPPED = msgspec.json.encode(
    GenerationResult(error_kind=ErrorKind.CANCELLED, error="the model caller was stopped before it was done")
)


class NoListeners:
    """A `DeltaPublisher` for answers that nobody watches come."""

    async def publish(self, subject: str, data: bytes) -> None:
        pass


class GenerationAnswerer:
    """Answers `Generate` requests by `asking`, at most `parallel` at once."""

    def __init__(  # noqa: PLR0913 — whom to ask, by which settings, and who pays
        self,
        asking: ModelAsker,
        settings: EffectiveSettings[ModelCallerSettings],
        blobs: Blobs,
        cancellations: Cancellations,
        budgets: Budgets,
        clock: Clock,
        remembering: AdaptationMemory,
        fallback: Fallback,
        *,
        parallel: int,
    ) -> None:
        self._asking = asking
        self._settings = settings
        self._blobs = blobs
        self._cancellations = cancellations
        self._budgets = budgets
        self._clock = clock
        self._remembering = remembering
        self._fallback = fallback
        self._slots = asyncio.Semaphore(parallel)

    async def answer(self, data: bytes) -> bytes:
        """A `GenerationResult`: what the model said; an error in its place, in words for the asking model."""
        return msgspec.json.encode(await self._answer(data))

    async def _answer(self, data: bytes) -> GenerationResult:
        try:
            asked = msgspec.json.decode(data, type=Generate)
            settings = await self._settings.of(asked.agent_id)
            targets = targets_of(settings, asked.intelligence)
            request = await self._request(asked, targets[0])
        except msgspec.DecodeError as error:
            return GenerationResult(error_kind=ErrorKind.INTERNAL, error=f"not a request: {error}")
        except Failure as failure:
            return GenerationResult(error_kind=failure.kind, error=failure.message)
        work = self._ask(request, targets, asked, settings)
        if asked.session_id is None:
            return await work
        answer = await self._cancellations.run(asked.session_id, asked.call_id, work)
        return answer or GenerationResult(error_kind=ErrorKind.CANCELLED, error="the call was cancelled")

    async def _ask(
        self,
        request: ModelRequest,
        targets: Sequence[ModelTarget],
        asked: Generate,
        settings: ModelCallerSettings,
    ) -> GenerationResult:
        prices, stop = Prices(settings.prices), StopSignal()
        spender = Spender(asked.agent_id, asked.session_id, asked.call_id)
        channel = DeltaChannel("", asked.session_id or SessionId(""), asked.call_id)

        async def ask(step: ChainStep) -> tuple[ModelTarget, ModelOutcome]:
            target = await self._remembering.adapted(step.target)
            purse = CallBudget(self._budgets, self._clock, spender, settings.caps(), prices.of(target))
            return target, await self._asking.ask(
                msgspec.structs.replace(request, model=target.model),
                target,
                channel,
                bounds=Bounds(stop, None, CallSpending(purse, target, stop)),
                prices=prices,
                elsewhere=step.elsewhere,
            )

        async with self._slots:
            answered = await self._fallback.ask(targets, asked.session_id or asked.agent_id, ask)
        target, outcome = answered.prepared, answered.outcome
        if outcome.answer is None:
            assert outcome.fault is not None
            if len(answered.tried) > 1 and place_of(target, outcome.fault) is not None:
                error = storable_text(explain_chain(answered.tried, outcome.fault, target))
                return GenerationResult(error_kind=ErrorKind.UPSTREAM, error=error)
            return _refused(outcome.fault, target, request, outcome.attempts)
        ending = outcome.answer.ending
        log.info("model.generated", call_id=asked.call_id, model=target.model, ms=outcome.took_ms)
        is_cut = ending.finish_reason == "length"
        return GenerationResult(
            storable_text(outcome.answer.text), ending.usage, model=target.model, is_cut=is_cut
        )

    async def _request(self, asked: Generate, target: ModelTarget) -> ModelRequest:
        messages: list[dict[str, Json]] = []
        if asked.system:
            messages.append({"role": "system", "content": asked.system})
        content: Json = asked.prompt
        if asked.images:
            pictures = [await self._picture(sha256) for sha256 in asked.images]
            content = [{"type": "text", "text": asked.prompt}, *pictures]
        messages += [{"role": turn.role, "content": turn.text} for turn in asked.before]
        messages.append({"role": "user", "content": content})
        options: dict[str, Json] = {"temperature": asked.temperature, "max_tokens": asked.max_tokens}
        if asked.stop:
            options["stop"] = [*asked.stop]
        if asked.schema is not None:
            form: dict[str, Json] = {"name": "answer", "schema": asked.schema}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        return ModelRequest(target.model, messages, [], options)

    async def _picture(self, sha256: str) -> dict[str, Any]:
        data = await self._blobs.get(sha256)
        if len(data) > LARGEST_IMAGE:
            raise Rejected(f"image {sha256} is larger than {LARGEST_IMAGE} bytes", kind=ErrorKind.TOO_LARGE)
        media_type = _media_type(data)
        if media_type is None:
            raise Rejected(
                f"{sha256} is not a PNG, JPEG, GIF or WebP image", kind=ErrorKind.INVALID_ARGUMENTS
            )
        address = f"data:{media_type};base64,{base64.b64encode(data).decode()}"
        return {"type": "image_url", "image_url": {"url": address}}


def _refused(
    fault: ModelFault, target: ModelTarget, request: ModelRequest, attempts: int
) -> GenerationResult:
    match fault.failure:
        case ModelFailure.CONTEXT_LENGTH:
            counted = request.tokens
            said = Overflow(counted, counted, fault.needed, fault.window or target.context_window)
            window = refused(KnownWindow(target.model), target.model, said)
            text = explain_long_prompt(fault, target, needed_of(fault, counted, window), window)
            return GenerationResult(error_kind=ErrorKind.TOO_LARGE, error=storable_text(text))
        case ModelFailure.BUDGET:
            kind = ErrorKind.REJECTED
        case _:
            kind = ErrorKind.UPSTREAM
    return GenerationResult(error_kind=kind, error=storable_text(explain(fault, target, attempts)))


def targets_of(settings: ModelCallerSettings, intelligence: Intelligence | None) -> Sequence[ModelTarget]:
    """The models of a level (None: those of sessions that name none), as settings say, with their keys."""
    choice = choice_of(settings)
    match intelligence:
        case Intelligence.LOW:
            model = choice.low
        case Intelligence.MEDIUM:
            model = choice.medium
        case Intelligence.HIGH:
            model = choice.high
        case None:
            model = choice.model
    return targets_for(choice, model)


def _media_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)

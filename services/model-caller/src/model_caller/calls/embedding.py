"""Vectors that tools ask for: by the model that settings name for it, within the caps on spending."""

import asyncio

import msgspec
import structlog

from agent_contracts.errors import ErrorKind, Failure
from agent_contracts.questions.embedding import MOST_TEXTS, Embed, EmbeddingsGiven, packed
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_domain.budgets.budgets import Budgets
from agent_domain.budgets.ledger import Spender
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.log.storable_text import storable_text
from agent_platform.process.clock import Clock
from model_caller.answers.failures import ModelFault, explain
from model_caller.calls.call_spending import CallBudget, CallSpending
from model_caller.calls.cancelling import StopSignal
from model_caller.choosing.model_choice import choice_of
from model_caller.choosing.target import ModelTarget, target_for
from model_caller.pricing.prices import Prices
from model_caller.providers.interface import Embedder
from model_caller.providers.interfaces import INTERFACES
from model_caller.settings import ModelCallerSettings
from session_domain.model_requests.request import ModelRequest

USUAL = "openai/text-embedding-3-small"
"""Asked where nobody names one, if the model that answers is OpenAI's own."""
_TRIES = 3
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 20.0
_NOT_SET_UP = (
    "no model is set up that gives embeddings: name one that your model server has by the setting "
    "embedding_model (Studio, Settings, Models; or FOLDLINE_EMBEDDING_MODEL). Search by words meanwhile"
)

log = structlog.get_logger()

FAILED = msgspec.json.encode(
    EmbeddingsGiven(error_kind=ErrorKind.INTERNAL, error="the model caller failed; its log says why")
)
STOPPED = msgspec.json.encode(
    EmbeddingsGiven(error_kind=ErrorKind.CANCELLED, error="the model caller was stopped before it was done")
)


class EmbeddingAnswerer:
    """Answers `Embed` requests."""

    def __init__(
        self,
        embedder: Embedder,
        settings: EffectiveSettings[ModelCallerSettings],
        budgets: Budgets,
        clock: Clock,
    ) -> None:
        self._embedder = embedder
        self._settings = settings
        self._budgets = budgets
        self._clock = clock

    async def answer(self, data: bytes) -> bytes:
        """An `EmbeddingsGiven`: vectors, or in words why there are none."""
        return msgspec.json.encode(await self._answer(data))

    async def _answer(self, data: bytes) -> EmbeddingsGiven:
        try:
            asked = msgspec.json.decode(data, type=Embed)
            settings = await self._settings.of(asked.agent_id)
        except msgspec.DecodeError as error:
            return EmbeddingsGiven(error_kind=ErrorKind.INTERNAL, error=f"not a request: {error}")
        except Failure as failure:
            return EmbeddingsGiven(error_kind=failure.kind, error=failure.message)
        if len(asked.texts) > MOST_TEXTS:
            return EmbeddingsGiven(
                error_kind=ErrorKind.TOO_LARGE, error=f"at most {MOST_TEXTS} texts at once"
            )
        target = embedding_target(settings)
        if target is None:
            return EmbeddingsGiven(error_kind=ErrorKind.NOT_AVAILABLE, error=_NOT_SET_UP)
        try:
            vectors, usage = await self._ask(target, asked, settings)
        except ModelFault as fault:
            return _refused(fault, target)
        return EmbeddingsGiven(target.model, tuple(map(packed, vectors)), usage)

    async def _ask(
        self, target: ModelTarget, asked: Embed, settings: ModelCallerSettings
    ) -> tuple[list[list[float]], Usage]:
        spender = Spender(asked.agent_id, asked.session_id, asked.call_id)
        price = Prices(settings.prices).of(target)
        purse = CallBudget(self._budgets, self._clock, spender, settings.caps(), price)
        spending = CallSpending(purse, target, StopSignal())
        request = ModelRequest(
            target.model, [{"role": "user", "content": text} for text in asked.texts], [], {"max_tokens": 1}
        )
        for tries in range(1, _TRIES + 1):
            await spending.allow(request)
            usage = Usage(0, 0)
            try:
                vectors, usage = await self._embedder.embed(target, asked.texts)
            except ModelFault as fault:
                if not fault.transient or tries == _TRIES:
                    raise
                pause = min(_LONGEST_PAUSE_S, fault.retry_after or _PAUSE_S * tries)
            else:
                return vectors, usage
            finally:
                spending.ended(usage)
            await asyncio.sleep(pause)
        raise AssertionError("the last try returns or raises")


def embedding_target(settings: ModelCallerSettings) -> ModelTarget | None:
    """Who gives vectors: the model that is named for it, at the server of the model that answers if that is
    the same provider's; OpenAI's usual one beside a model of OpenAI's own; else nobody."""
    choice = choice_of(settings)
    named = settings.embedding_model
    if named is None:
        is_openai = choice.base_url is None and choice.model.startswith("openai/")
        return target_for(choice, USUAL) if is_openai else None
    target = target_for(choice, named)
    gives = INTERFACES[target.interface].embedder is not None
    return target if gives and target.is_configured else None


def _refused(fault: ModelFault, target: ModelTarget) -> EmbeddingsGiven:
    log.warning("embeddings.none", model=target.model, fault=fault.failure.value, reason=str(fault)[:300])
    words = storable_text(explain(fault, target, 1))
    match fault.failure:
        case ModelFailure.BUDGET:
            kind = ErrorKind.REJECTED
        case ModelFailure.UNKNOWN_MODEL:
            kind, words = ErrorKind.NOT_AVAILABLE, f"{target.model} gives no embeddings here: {_NOT_SET_UP}"
        case _:
            kind = ErrorKind.UPSTREAM
    return EmbeddingsGiven(error_kind=kind, error=words)

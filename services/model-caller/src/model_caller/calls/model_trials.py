"""One short call that tests a model, as settings say or as they would."""

import asyncio
import time

import msgspec
import structlog
from pydantic import SecretStr

from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import CallId, SessionId
from agent_contracts.model_chain import models_in
from agent_contracts.questions.model_tests import ModelTrial, ModelTried
from agent_contracts.session_events.results import ModelFailure
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.personal.precedence import OF_THE_MODEL
from agent_domain.personal.values import is_secret, read
from agent_domain.secrets.vault import Vault
from agent_platform.log.storable_text import storable_text
from model_caller.answers.failures import explain
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.deltas import DeltaChannel
from model_caller.calls.generating import NoListeners, targets_of
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.model_checks import checks, window_flaw
from model_caller.choosing.small_models import why_small
from model_caller.choosing.target import LITELLM, ModelTarget
from model_caller.pricing.prices import Prices
from model_caller.providers.by_model import ByModel
from model_caller.providers.litellm_provider import not_installed
from model_caller.providers.loading import is_installed
from model_caller.providers.offered_models import offered_models
from model_caller.settings import ModelCallerSettings
from session_domain.model_requests.request import ModelRequest

_PROMPT = "Answer with the word ok."
_PATIENCE_S = 60.0
_LONGEST_SAID = 200
_MOST_AT_ONCE = 50
"""Models of a chain, with each of their keys, that are tested: the first so many."""

log = structlog.get_logger()

TEST_FAILED = msgspec.json.encode(
    ModelTried(problem="The test failed inside Foldline; the model caller's log says why.", kind="internal")
)
TEST_STOPPED = msgspec.json.encode(
    ModelTried(problem="The model caller was stopped meanwhile. Test again.", kind="cancelled")
)


class ModelTrials:
    """Answers `ModelTrial`: asks once, without repeats, and stores nothing. For one answer all models of a
    chain are asked, with each key: the first that gives none is told of. Checks are of the first model."""

    def __init__(
        self,
        provider: ByModel,
        settings: EffectiveSettings[ModelCallerSettings],
        vault: Vault,
        remembering: AdaptationMemory,
    ) -> None:
        limits = provider.limits
        patience = min(limits.first_token, _PATIENCE_S)
        once = msgspec.structs.replace(limits, retries=0, first_token=patience, first_token_at_home=patience)
        self._asking = ModelAsker(provider, NoListeners(), once, learned=remembering.learned)
        self._remembering = remembering
        self._provider = provider
        self._settings = settings
        self._vault = vault

    async def answer(self, data: bytes) -> bytes:
        """A `ModelTried`."""
        try:
            return msgspec.json.encode(await self._test(msgspec.json.decode(data, type=ModelTrial)))
        except (Failure, msgspec.DecodeError) as error:
            return msgspec.json.encode(ModelTried(problem=str(error), kind="internal"))

    async def _test(self, asked: ModelTrial) -> ModelTried:
        settings = self._would_be(await self._settings.of(asked.agent_id), asked)
        targets = targets_of(settings, asked.level)
        target = targets[0]
        if not target.is_configured:
            raise Rejected("No model is set up: name one.", kind="no_model")
        if asked.wants == "list":
            models = await offered_models(target)
            return ModelTried(target.model, target.shown_url, models=tuple(models))
        if asked.wants == "ready":
            ready = [_ready(one) for one in targets]
            return next((one for one in ready if one.problem), ready[0])
        if asked.wants == "checks":
            return await self._checked(await self._remembering.adapted(target), settings)
        each = await asyncio.gather(*(self._asked_once(one, settings) for one in targets[:_MOST_AT_ONCE]))
        at, first = next(((at, one) for at, one in enumerate(each) if one.problem), (0, each[0]))
        if len(targets) == 1 or first.problem is None:
            return first
        which = f"{first.model}, key {targets[at].key}" if targets[at].keys else first.model
        return msgspec.structs.replace(first, problem=f"{at + 1} of {len(targets)}, {which}: {first.problem}")

    async def _asked_once(self, target: ModelTarget, settings: ModelCallerSettings) -> ModelTried:
        target = await self._remembering.adapted(target)
        request = ModelRequest(target.model, [{"role": "user", "content": _PROMPT}], [])
        channel = DeltaChannel("", SessionId(""), CallId("test"))
        outcome = await self._asking.ask(request, target, channel, prices=Prices(settings.prices))
        fault, answer = outcome.fault, outcome.answer
        log.info("model.tested", model=target.model, ms=outcome.took_ms, fault=fault and fault.failure.value)
        tested = ModelTried(target.model, target.shown_url, ms=outcome.took_ms)
        if answer is None:
            assert fault is not None
            words = storable_text(explain(fault, target, 1))
            return msgspec.structs.replace(tested, problem=words, kind=fault.failure.value)
        flaw = window_flaw(target, answer.ending.context_window, settings.small_models)
        if flaw is not None:
            tested = msgspec.structs.replace(
                tested, problem=f"{flaw}.", kind=ModelFailure.CONTEXT_LENGTH.value
            )
        return msgspec.structs.replace(
            tested,
            said=storable_text(answer.text)[:_LONGEST_SAID],
            usage=answer.ending.usage,
            context_window=answer.ending.context_window,
            small_since=why_small(target, answer.ending.context_window, settings.small_models),
        )

    async def _checked(self, target: ModelTarget, settings: ModelCallerSettings) -> ModelTried:
        began = time.monotonic()
        found = await checks(self._provider, target, settings.small_models)
        failed = next((one for one in found if one.needed and one.ok is False), None)
        return ModelTried(
            target.model,
            target.shown_url,
            problem=None if failed is None else storable_text(f"{failed.name}: {failed.words}"),
            kind=None if failed is None else "check_failed",
            ms=round((time.monotonic() - began) * 1000),
            checks=tuple(msgspec.structs.replace(one, words=storable_text(one.words)) for one in found),
        )

    def _would_be(self, settings: ModelCallerSettings, asked: ModelTrial) -> ModelCallerSettings:
        known = type(settings).model_fields.keys() - settings.locks
        changes = {
            name: read(name, value)
            for name, value in asked.values.items()
            if name in known and not is_secret(name)
        }
        for name, sealed in asked.sealed.items():
            if name in known:
                changes[name] = SecretStr(self._vault.opened(asked.agent_id, name, sealed))
        if "model" in changes:  # as when it is set: what was told of another's server doesn't count
            told = self._settings.told
            others = _provider_of(changes["model"]) != _provider_of(settings.model)  # as when a chat names it
            for name in OF_THE_MODEL - changes.keys() - settings.locks:
                if others or getattr(settings, name) == getattr(told, name):
                    changes[name] = None
        return settings.model_copy(update=changes)


def _provider_of(chain: str | None) -> str:
    return ModelTarget(models_in(chain)[0]).provider if chain else ""


def _ready(target: ModelTarget) -> ModelTried:
    """Whether everything is installed here that the model is asked with. Nobody is asked."""
    tried = ModelTried(target.model, target.shown_url)
    if target.interface != LITELLM or is_installed():
        return tried
    fault = not_installed(target)
    return msgspec.structs.replace(tried, problem=explain(fault, target, 1), kind=fault.failure.value)

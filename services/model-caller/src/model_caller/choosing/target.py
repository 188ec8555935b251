"""Which model is asked, where, and with which key."""

import hashlib
from urllib.parse import urlsplit, urlunsplit

import msgspec

from agent_contracts.model_chain import models_in
from agent_domain.model_providers import (
    ModelProvider,
    model_providers,
    provider_address,
    provider_key,
)
from agent_platform.secrecy.known_secrets import KNOWN, passwords_in
from model_caller.choosing.call_adaptations import NOTHING, CallAdaptations
from model_caller.choosing.model_choice import DEMO, ModelChoice

LITELLM = "litellm"


class ModelTarget(msgspec.Struct, frozen=True):
    """One model and how to reach it. `model` is the provider, a slash and the model; with `litellm/` before
    it, litellm asks even where we could ourselves. Without a `base_url` its provider's own address is meant,
    without an `api_key` the provider's usual variable. `context_window` (tokens): what a person says of it.
    `adapted`: what is changed in its requests. Where it has several `keys`, this is its `key`th; 0 of 0: it
    has one."""

    model: str
    base_url: str | None = None
    api_key: str | None = None
    context_window: int | None = None
    adapted: CallAdaptations = NOTHING
    key: int = 0
    keys: int = 0

    def __post_init__(self) -> None:
        KNOWN.learn(self.api_key or "", *passwords_in(self.base_url or ""))

    def __repr__(self) -> str:
        return f"Target({self.model!r}, {self.shown_url!r})"

    @property
    def shown_url(self) -> str | None:
        """The address without user, password and query."""
        if self.base_url is None:
            return None
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def server(self) -> str:
        """Names the server that is asked, by a hash: of its address, else of the provider."""
        return hashlib.sha256(self.shown_server.encode()).hexdigest()[:16]

    @property
    def shown_server(self) -> str:
        """The server in words: its address, else its provider's name."""
        return self.shown_url or self.provider or self.model

    @property
    def provider(self) -> str:
        """What comes before the first slash of the model string, for litellm or not."""
        return _provider(self.model)

    @property
    def name(self) -> str:
        """The model's name at its server: what comes after the first slash."""
        return self.model.partition("/")[2] or self.model

    @property
    def interface(self) -> str:
        """Whose interface it is asked over by ourselves, or that litellm asks it."""
        prefix, slash, _ = self.model.partition("/")
        known = model_providers().get(prefix) if slash else None
        if known is not None:
            return known.interface
        return "openai" if self.model == DEMO else "litellm"

    @property
    def known_provider(self) -> ModelProvider | None:
        """What is known of its provider in advance."""
        return model_providers().get(self.provider)

    @property
    def own_url(self) -> str | None:
        """The address of a server that people run themselves: the one that they named, or the usual one of
        such a provider. None for others."""
        known = self.known_provider
        if self.base_url is not None or known is None or not known.own:
            return self.base_url
        return provider_address(self.provider)

    @property
    def for_litellm(self) -> str:
        """The model string that litellm knows: without the `litellm/` that sends any model to it."""
        return _for_litellm(self.model)

    @property
    def is_configured(self) -> bool:
        """False for `demo` where nobody started its server: litellm knows no such provider."""
        return self.model != DEMO or self.base_url is not None


def targets_for(choice: ModelChoice, chain: str | None) -> tuple[ModelTarget, ...]:
    """What may be asked for a session's own model or chain of models, or for the chosen one if it has none:
    the first model with each of its keys, then the next. A window without a model is the first one's.
    """
    first, *others = models_in(chain or choice.model)
    found = _with_each_key(choice, first, choice.windows.get(first, choice.windows.get("")))
    for model in others:
        found += _with_each_key(choice, model, choice.windows.get(model))
    return tuple(map(with_quirks, found))


def target_for(choice: ModelChoice, model: str | None) -> ModelTarget:
    """The first of them."""
    return targets_for(choice, model)[0]


def _with_each_key(choice: ModelChoice, model: str, window: int | None) -> list[ModelTarget]:
    """The chosen server's address and keys go only to models of its provider, and the server of a single
    model gets only the keys that are marked as its own: no other gets to see them."""
    provider, chosen = _provider(model), models_in(choice.model)[0]
    is_elsewhere = model != chosen and provider != _provider(chosen)
    base_url = None if is_elsewhere else choice.base_url
    given = None if is_elsewhere else choice.api_key
    if model in choice.servers:
        base_url, given = choice.servers[model], choice.server_keys.get(model)
    elif base_url is not None and _is_usual(provider, base_url):
        base_url = None  # what is known of the provider holds there: its quirks, its prices
    if given is None and base_url is None:
        given = choice.keys.get(provider) or _in_variable(provider)
    keys = list(dict.fromkeys(key for key in map(str.strip, (given or "").split(",")) if key))
    if len(keys) < 2:
        return [ModelTarget(model, base_url, keys[0] if keys else None, window)]
    return [
        ModelTarget(model, base_url, key, window, key=at, keys=len(keys)) for at, key in enumerate(keys, 1)
    ]


def _is_usual(provider: str, base_url: str) -> bool:
    """Whether this is where the provider is asked anyway."""
    known = model_providers().get(provider)
    usual = provider_address(provider)
    return known is not None and not known.own and usual is not None and base_url.rstrip("/") == usual


def _in_variable(provider: str) -> str | None:
    """Several keys in the variable of a provider whose keys are no settings; a single one is read where it
    is sent."""
    found = provider_key(provider)
    return found[1] if found is not None and "," in found[1] else None


def with_quirks(target: ModelTarget) -> ModelTarget:
    """The target with what is known of its provider's requests; the very same at a server of one's own, which
    may be anything."""
    known = target.known_provider
    if known is None or target.own_url is not None or target.interface == "litellm":
        return target
    quirks = known.quirks_of(target.name)
    return msgspec.structs.replace(target, adapted=CallAdaptations(quirks)) if quirks else target


def _provider(model: str) -> str:
    provider, slash, _ = _for_litellm(model).partition("/")
    return provider if slash else ""


def _for_litellm(model: str) -> str:
    return model.removeprefix(f"{LITELLM}/")

"""Which model answers when nobody said which."""

import http.client
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agent_domain.model_entries import entries_in, windows_in
from agent_domain.model_providers import model_providers, provider_key
from agent_platform.settings.sources import variable
from model_caller.settings import ModelChoiceSettings

DEMO = "demo"

OLLAMA = "ollama_chat"
_OLLAMA_SECONDS = 0.5


@dataclass(frozen=True)
class ModelChoice:
    """Model strings for each level, and where to reach them. `source` says in words why these.

    `base_url` and `api_key` are None where the provider's own address and variables count; `keys` are those
    of providers, by what comes first in their model strings. The model `demo` is ours: whoever starts its
    server fills in `base_url`. `windows` (tokens) is what a person says of models, by model string; under the
    empty one, of the first. `servers` are those of single models, and `server_keys` the keys to them.
    """

    model: str
    low: str
    medium: str
    high: str
    source: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    windows: Mapping[str, int] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    server_keys: Mapping[str, str] = field(default_factory=dict, repr=False)


def choose_model(
    settings: ModelChoiceSettings,
    environ: Mapping[str, str],
    find_ollama: Callable[[], list[str]] | None = None,
) -> ModelChoice:
    """The setting MODEL; else a model of the first provider whose key is set, or in `environ`, and that has a
    usual one; else a model of an Ollama on this machine; else the demo. Blocks for at most half a second, and
    only if it comes to asking Ollama.
    """
    if settings.model:
        return choice_of(settings)
    usual = {name: one for name, one in model_providers().items() if one.model}
    for name, provider in usual.items():
        if environ.get(provider.keys[0]) or settings.key_of(name):
            return _choice(settings, provider.model or "", f"{provider.keys[0]} is set", None)
    # Only then: a provider's other variables may hold keys for other things.
    for name, provider in usual.items():
        if (found := provider_key(name, environ)) is not None:
            return _choice(settings, provider.model or "", f"{found[0]} is set", None)
    for name in (find_ollama or ollama_models)():
        if "embed" not in name:
            address = model_providers()[OLLAMA].base_url
            return _choice(settings, f"{OLLAMA}/{name}", "Ollama answers here", address)
    return _choice(settings, DEMO, f"no model, key or Ollama was found; set {variable('model')}", None)


def choice_of(settings: ModelChoiceSettings) -> ModelChoice:
    """What settings say that name a model; the demo where they name none."""
    return _choice(settings, settings.model or DEMO, variable("model"), settings.model_base_url)


def _choice(settings: ModelChoiceSettings, model: str, source: str, base_url: str | None) -> ModelChoice:
    servers = entries_in(settings.model_servers) if settings.model_servers else {}
    given = settings.model_api_key
    key, server_keys = _keys(given.get_secret_value() if given else None, servers)
    return ModelChoice(
        model=model,
        low=settings.model_low or model,
        medium=settings.model_medium or model,
        high=settings.model_high or model,
        source=source,
        base_url=base_url,
        api_key=key,
        keys={name: found for name in model_providers() if (found := settings.key_of(name))},
        windows=windows_in(settings.model_context_window) if settings.model_context_window else {},
        servers=servers,
        server_keys=server_keys,
    )


def _keys(given: str | None, servers: Collection[str]) -> tuple[str | None, dict[str, str]]:
    """The keys of the chosen model's server, and those that are marked as another model's, by model string.
    Nothing else tells them apart: a key may have the same signs as a model's name."""
    if given is None or not servers:
        return given, {}
    usual: list[str] = []
    others: dict[str, list[str]] = {}
    for entry in map(str.strip, given.split(",")):
        model, _, key = entry.partition("=")
        if model in servers:
            others.setdefault(model, []).append(key)
        else:
            usual.append(entry)
    return ",".join(usual) or None, {model: ",".join(keys) for model, keys in others.items()}


def ollama_models(url: str | None = None) -> list[str]:
    """The models of the Ollama at this address, else at its usual one, the newest first; empty if none
    answers within half a second."""
    address = urlsplit(url or model_providers()[OLLAMA].base_url or "")
    connection = http.client.HTTPConnection(address.netloc, timeout=_OLLAMA_SECONDS)
    try:
        connection.request("GET", "/api/tags")
        answer = connection.getresponse()
        listed = json.loads(answer.read()) if answer.status == 200 else {}
        return [str(model["name"]) for model in listed.get("models", [])]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, AttributeError):
        return []  # nobody there, or something else that listens at this port
    finally:
        connection.close()

"""Settings that say something of single models: `provider/model=value`, separated by commas. Pure."""

from collections.abc import Iterator

from agent_contracts.model_chain import LONGEST_MODEL
from agent_domain.model_addresses import base_url_of
from agent_platform.settings.characters import cleaned, flaw_in_name

MOST_ENTRIES = 50
LONGEST_ENTRIES = 10_000
"""Characters of such a setting."""
LARGEST_WINDOW = 10**9
"""Tokens."""
_SHOWN = 60


def entries_in(text: str) -> dict[str, str]:
    """Each model string with its value; a value without a model is under the empty one."""
    return dict(pairs_in(text))


def windows_in(text: str) -> dict[str, int]:
    """Tokens by model string. That of the chosen model may stand under the empty one."""
    return {model: int(value) for model, value in entries_in(text).items()}


def flaw_in_windows(text: str) -> str | None:
    """Why this tells no windows, as a clause without a full stop; None if it does."""
    flaw = _flaw(text)
    if flaw is not None:
        return flaw
    for value in entries_in(text).values():
        if not (value.isascii() and value.isdigit() and 1 <= int(value[:11]) <= LARGEST_WINDOW):
            return f"{value[:_SHOWN]!r} is not a number of tokens from 1 to {LARGEST_WINDOW}"
    return None


def with_api_addresses(text: str) -> str:
    """The same with each address as `base_url_of` has it."""
    return ",".join(f"{model}={base_url_of(value)}" if model else value for model, value in pairs_in(text))


def flaw_in_servers(text: str) -> str | None:
    """Why this tells no servers, as a clause without a full stop; None if it does."""
    flaw = _flaw(text)
    if flaw is not None:
        return flaw
    for model, address in entries_in(text).items():
        if not model:
            return f"{address[:_SHOWN]!r} stands without its model: write provider/model={address[:_SHOWN]}"
        if not address.startswith(("http://", "https://")):
            return f"the address of {model[:_SHOWN]} must begin with http:// or https://"
        wrong = flaw_in_name(address)
        if wrong is not None:
            return f"in the address of {model[:_SHOWN]}, {wrong}"
    return None


def pairs_in(text: str) -> Iterator[tuple[str, str]]:
    """Each entry's model and value, in order; the model is empty where the entry has none."""
    for entry in text.split(","):
        model, equals, value = entry.partition("=")
        yield (cleaned(model), cleaned(value)) if equals else ("", cleaned(model))


def _flaw(text: str) -> str | None:
    models = [model for model, _ in pairs_in(text)]
    if len(models) > MOST_ENTRIES:
        return f"it has {len(models)} entries, and may have {MOST_ENTRIES}"
    twice = next((model for at, model in enumerate(models) if model in models[:at]), None)
    if twice is not None:
        return f"it names {twice[:_SHOWN]} twice" if twice else "it has two values without a model"
    for model in filter(None, models):
        if "/" not in model or len(model) > LONGEST_MODEL:
            return f"{model[:_SHOWN]!r} is not provider/model of at most {LONGEST_MODEL} characters"
        wrong = flaw_in_name(model)
        if wrong is not None:
            return f"in the model's name, {wrong}"
    return None

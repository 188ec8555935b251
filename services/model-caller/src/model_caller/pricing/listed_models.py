"""What is known of models in advance: windows, prices and sight. `models.json` has them, which
`scripts/update-prices` makes. Others are looked up in litellm's list, where that is installed."""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

LIST = Path(__file__).with_name("models.json")
LITELLMS = "model_prices_and_context_window_backup.json"
"""litellm's list, read as the file that it is: to import litellm takes seconds."""
_MILLION = 1_000_000


class ListedModel(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the list says of a model."""

    window: int | None = None
    """Tokens that it takes in all."""
    answer: int | None = None
    """Tokens that it gives at most."""
    input: float | None = None
    """US dollars for a million tokens of input."""
    output: float | None = None
    """US dollars for a million tokens of output."""
    cached: float | None = None
    """US dollars for a million tokens of input that were cached."""
    written: float | None = None
    """US dollars for a million tokens of input that are written to the cache."""
    sees: bool | None = None
    """Whether it takes pictures."""


def listed_model(model: str) -> ListedModel | None:
    """The entry of a model string; None for one that is in neither list."""
    raw = _ours().get(model)
    return msgspec.json.decode(raw, type=ListedModel) if raw is not None else _by_litellm(model)


def of_litellms(entry: Mapping[str, Any]) -> ListedModel:
    """An entry of litellm's list as one of ours."""
    window, answer = _tokens(entry.get("max_input_tokens")), _tokens(entry.get("max_output_tokens"))
    sees = entry.get("supports_vision")
    return ListedModel(
        window,
        answer if window is not None else None,
        _of_a_million(entry.get("input_cost_per_token")),
        _of_a_million(entry.get("output_cost_per_token")),
        _of_a_million(entry.get("cache_read_input_token_cost")),
        _of_a_million(entry.get("cache_creation_input_token_cost")),
        sees if isinstance(sees, bool) else None,
    )


def _tokens(value: Any) -> int | None:
    return (
        int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None
    )


def _of_a_million(cost: Any) -> float | None:
    return round(cost * _MILLION, 6) if isinstance(cost, int | float) else None


@cache
def _ours() -> dict[str, msgspec.Raw]:
    """Each entry undecoded: of some thousand, a process needs one or two."""
    return msgspec.json.decode(LIST.read_bytes(), type=dict[str, msgspec.Raw])


@cache
def _by_litellm(model: str) -> ListedModel | None:
    """Under its whole name, or under its name alone where its provider is that of the entry."""
    provider, _, name = model.rpartition("/")
    for key in (model, name):
        raw = _litellms().get(key)
        entry = msgspec.json.decode(raw) if raw is not None else None
        if isinstance(entry, dict) and (key == model or entry.get("litellm_provider") == provider):
            return of_litellms(entry)
    return None


@cache
def _litellms() -> dict[str, msgspec.Raw]:
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    data = Path(spec.origin).with_name(LITELLMS).read_bytes()
    entries = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    entries.pop("sample_spec", None)  # it explains the list's own fields, in words
    return entries

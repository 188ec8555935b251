"""litellm's list of models, read as the file that it is: to import litellm takes seconds."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

_LIST = "model_prices_and_context_window_backup.json"


class Listed(msgspec.Struct, frozen=True):
    """What the list says of a model. Costs in US dollars."""

    litellm_provider: str = ""
    max_input_tokens: Any = None
    max_output_tokens: Any = None
    input_cost_per_token: float | None = None
    output_cost_per_token: float | None = None
    cache_read_input_token_cost: float | None = None
    cache_creation_input_token_cost: float | None = None
    supports_vision: bool | None = None


def listed(model: str) -> Listed | None:
    """The entry of a model string: under its whole name, or under its name alone where its provider is that
    of the entry. None: the list doesn't have it."""
    provider, _, name = model.rpartition("/")
    whole = _entry(model)
    if whole is not None:
        return whole
    alone = _entry(name)
    return alone if alone is not None and alone.litellm_provider == provider else None


@cache
def _entry(model: str) -> Listed | None:
    raw = _all().get(model)
    try:
        return None if raw is None else msgspec.json.decode(raw, type=Listed)
    except msgspec.ValidationError:
        return None  # it explains the list's own fields, in words


@cache
def _all() -> dict[str, msgspec.Raw]:
    """Each entry undecoded: of four thousand, a process needs one or two."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    data = (Path(spec.origin).parent / _LIST).read_bytes()
    return msgspec.json.decode(data, type=dict[str, msgspec.Raw])

"""Which models get the preset for small ones, a short prompt and few tools: as a person says, else by what is
known of their window and their name."""

import re

from model_caller.choosing.named_models import named_in
from model_caller.choosing.target import ModelTarget

AUTO, ALL, NONE = "auto", "all", "none"
SMALL_WINDOW = 8_192
"""Tokens: half of it would be taken by the usual prompt and tools, with an answer's room."""
_FEWEST_BILLIONS = 4.0
"""Models with fewer parameters do badly with many tools; those of 3.8 billion are called small, too."""

_SIZE = re.compile(r"(?<![a-z0-9.])e?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)
"""A number of parameters: 135m, 0.5b, 3b, e2b. Not 8x7b, and not the 3b of 30b-a3b."""
_WORD = re.compile(r"(?<![a-z])(mini|tiny|nano|smol(lm\d?)?|tinyllama)(?![a-z])", re.IGNORECASE)
_LARGE = re.compile(r"gpt|grok|codex|claude|gemini|(?<![a-z0-9])o\d", re.IGNORECASE)
"""Whose mini ones aren't small at all."""


def why_small(target: ModelTarget, window: int | None, setting: str = AUTO) -> str | None:
    """Why this model gets the preset, in words that follow *since*; None: it doesn't. The setting: auto, all,
    none, or models (with * for any text), separated by commas."""
    if setting == NONE:
        return None
    if setting == ALL:
        return "the setting small_models is all"
    if setting != AUTO:
        named = named_in(setting, target)
        return f"the setting small_models names {named}" if named else None
    if window is not None and window <= SMALL_WINDOW:
        return f"its window has {window:,} tokens"
    said = _small_name(target)
    return f"its name says {said}" if said else None


def _small_name(target: ModelTarget) -> str | None:
    """What in a model's name says that it is small."""
    name = target.name
    sizes = [(_billions(one), one[0]) for one in _SIZE.finditer(name)]
    if sizes:
        size, said = max(sizes)
        return said if size < _FEWEST_BILLIONS else None
    if _LARGE.search(name) or target.own_url is None:
        return None
    word = _WORD.search(name)
    return word[0] if word else None


def _billions(size: re.Match[str]) -> float:
    return float(size[1]) / (1_000 if size[2].lower() == "m" else 1)

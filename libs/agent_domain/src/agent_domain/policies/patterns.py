"""Patterns of rules: `*` is any text, `\\*` the character itself. Matched in linear time."""

import re
from functools import lru_cache

_STAR = re.compile(r"\\(.)|\*|([^\\*]+)", re.DOTALL)


def literal(text: str) -> str:
    """The pattern that this text alone fits."""
    return text.replace("\\", "\\\\").replace("*", "\\*")


def the_only(pattern: str) -> str | None:
    """The one text that fits a pattern without a star; None for others."""
    first, *rest = _pieces(pattern)
    return None if rest else first


def ends(pattern: str) -> tuple[str, str]:
    """How each text that fits a pattern with a star begins, and how it ends."""
    first, *rest = _pieces(pattern)
    return first, rest[-1]


def fits(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern, as a whole."""
    first, *rest = _pieces(pattern)
    if not rest:
        return text == first
    if not text.startswith(first):
        return False
    *middle, last = rest
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(text) - len(last) >= at and text.endswith(last)


@lru_cache(maxsize=4096)
def _pieces(pattern: str) -> tuple[str, ...]:
    """What stands between the stars."""
    pieces = [""]
    for found in _STAR.finditer(pattern):
        if found[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += found[1] or found[2]
    if pattern.endswith("\\") and (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        pieces[-1] += "\\"  # one at the end stands for itself
    return tuple(pieces)

"""The words around what was looked for. Pure."""

import re
from collections.abc import Sequence

AROUND = 120
"""Characters before and after it."""
_GAPS = re.compile(r"\s+")


def words_of(query: str) -> list[str]:
    """The words that a text must have, all of them, in lower case."""
    return list(dict.fromkeys(query.lower().split()))


def snippet(text: str, words: Sequence[str]) -> str:
    """The part of `text` that has the first of the words, on one line."""
    lowered = text.lower()
    places = [at for word in words if (at := lowered.find(word)) >= 0]
    at = min(places, default=0)
    begin, end = max(0, at - AROUND), min(len(text), at + AROUND)
    part = _GAPS.sub(" ", text[begin:end]).strip()
    return f"{'…' if begin else ''}{part}{'…' if end < len(text) else ''}"

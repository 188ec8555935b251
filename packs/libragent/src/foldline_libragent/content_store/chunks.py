"""A text in pieces that are searched one by one. Pure."""

import itertools
from collections.abc import Iterator

import msgspec

SIZE = 1_000
"""Characters of a chunk."""
SHARED = 200
"""Characters that a chunk shares with the one before it, so that what stands at a border is found."""


class Chunk(msgspec.Struct, frozen=True):
    """Characters from `start` on, which stand in these lines, from 1."""

    number: int
    start: int
    first_line: int
    last_line: int
    text: str


def chunks_of(text: str) -> Iterator[Chunk]:
    """The chunks of a text in order; none of an empty one."""
    number = start = 0
    line = 1
    while start < len(text):
        piece = text[start : start + SIZE]
        ends = line + piece.rstrip("\n").count("\n")
        yield Chunk(number, start, line, max(line, ends), piece)
        if start + SIZE >= len(text):
            return
        line += text.count("\n", start, start + SIZE - SHARED)
        start += SIZE - SHARED
        number += 1


def joined(pieces: list[tuple[int, str]]) -> str:
    """The text that these chunks, by start and text, cover without a gap."""
    parts = []
    for (start, text), (following, _) in itertools.pairwise(pieces):
        parts.append(text[: following - start])
    parts.extend(text for _, text in pieces[-1:])
    return "".join(parts)


def lines_in(text: str) -> int:
    """How many lines a text has; a newline at the end begins none."""
    return text.count("\n") + (not text.endswith("\n") if text else 0)

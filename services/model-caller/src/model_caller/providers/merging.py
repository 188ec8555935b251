"""Neighbours of one role as one message. Templates of chats refuse others, or lose one of the two.

Two messages of a person stand side by side after Stop, a failed turn, a summary, or where they wrote twice.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import msgspec

from agent_contracts.json_value import Json
from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded, part_of

_MERGED = (b"user", b"assistant")
_BEGINNING = b'{"role":"'
"""Of an encoded message. In a text its quotes would be escaped, so it is found nowhere else."""

_OWN = {"role", "content", "tool_calls"}
_MOST_KNOWN = 50_000


class _Roles(NamedTuple):
    """Those of the first and the last message in a part; `inner`: neighbours within it have one role."""

    first: bytes
    last: bytes
    inner: bool


_known: dict[int, _Roles] = {}
"""By the hash of a part, computed once: most parts of a request were in the one before. Were two parts
to have one hash, neighbours might stay apart; which are merged follows from what is decoded."""


def merged(messages: Sequence[Element]) -> EncodedArray:
    """The messages, neighbours of role user or assistant as one: texts with a blank line between them, lists
    of parts one after the other.

    Only such neighbours are decoded. What comes before an added message stays the same, up to its neighbour's
    end.
    """
    array = encoded(messages)
    parts: list[bytes] = []
    ends, changed = b"", False
    for part in array.parts:
        roles = _known.get(hash(part)) or _remembered(part)
        joins = roles.first == ends and ends in _MERGED
        if joins or roles.inner:
            changed = True
            several = list(_messages(part))
            if joins:
                before, last = _without_last(parts.pop())
                parts += [before] if before else []
                several.insert(0, last)
            parts.append(b",".join(_together(several)))
        else:
            parts.append(part)
        ends = roles.last
    return EncodedArray(parts) if changed else array


def _remembered(part: bytes) -> _Roles:
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    found = _roles(part) or [b""]
    inner = any(one == two and one in _MERGED for one, two in pairwise(found))
    known = _known[hash(part)] = _Roles(found[0], found[-1], inner)
    return known


def _roles(part: bytes) -> list[bytes]:
    return [_role(part, begins) for begins in _beginnings(part)]


def _role(data: bytes, begins: int = 0) -> bytes:
    at = begins + len(_BEGINNING)
    return data[at : data.find(b'"', at)]


def _beginnings(part: bytes) -> Iterator[int]:
    """Where each message begins."""
    at = 0 if part.startswith(_BEGINNING) else -1
    while at >= 0:
        yield at
        at = part.find(b"," + _BEGINNING, at) + 1 or -1


def _messages(part: bytes) -> Iterator[bytes]:
    for begins, following in pairwise([*_beginnings(part), len(part) + 1]):
        yield part[begins : following - 1]


def _without_last(part: bytes) -> tuple[bytes, bytes]:
    """All messages but the last, and the last."""
    before, _, last = part.rpartition(b"," + _BEGINNING)
    return (before, _BEGINNING + last) if before else (b"", part)


def _together(messages: Sequence[bytes]) -> Iterator[bytes]:
    for role, run in groupby(messages, _role):
        several = list(run)
        if role not in _MERGED or len(several) == 1:
            yield from several
        else:
            yield part_of([reduce(_joined, (msgspec.json.decode(one) for one in several))])


def _joined(one: dict[str, Any], two: dict[str, Any]) -> Element:
    content = _content(one.get("content"), two.get("content"))
    calls = [*(one.get("tool_calls") or []), *(two.get("tool_calls") or [])]
    known = {name: _content(one[name], two[name]) for name in one.keys() & two.keys() - _OWN}
    return one | two | known | {"content": content} | ({"tool_calls": calls} if calls else {})


def _content(one: Json, two: Json) -> Json:
    if not one or not two:
        return one or two
    if isinstance(one, str) and isinstance(two, str):
        return f"{one}\n\n{two}"
    if isinstance(one, dict) or isinstance(two, dict):
        return two  # a signature, of which the later counts
    return [*_parts_of(one), *_parts_of(two)]


def _parts_of(content: Json) -> Iterator[Json]:
    if isinstance(content, list):
        yield from content
    else:
        yield {"type": "text", "text": content}

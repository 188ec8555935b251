"""Neighbours of one role as one message. Templates of chats refuse others, or lose one of the two.

Two messages of a person stand side by side after Stop, a failed turn, a summary, or where they wrote twice.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from agent_contracts.json_value import Json
from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded, part_of

_MERGED = (b"user", b"assistant")
_BEGINNING = b'{"role":"'
"""Of an encoded message. In a text its quotes would be escaped, so it is found nowhere else."""

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
            before, changed = parts.pop() if joins else b"", True
            parts.append(part_of(_merged(_elements(before) + _elements(part))))
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
    found = []
    at = 0 if part.startswith(_BEGINNING) else -1
    while at >= 0:
        begins = at + len(_BEGINNING)
        ends = part.find(b'"', begins)
        found.append(part[begins:ends])
        at = part.find(b"," + _BEGINNING, ends) + 1 or -1
    return found


def _elements(part: bytes) -> list[Element]:
    found: list[Element] = msgspec.json.decode(b"[" + part + b"]")
    return found


def _merged(messages: Sequence[Element]) -> list[Element]:
    out: list[Element] = []
    for message in messages:
        if out and message["role"] == out[-1]["role"] and message["role"] in ("user", "assistant"):
            out[-1] = _joined(out[-1], message)
        else:
            out.append(message)
    return out


def _joined(one: dict[str, Any], two: dict[str, Any]) -> Element:
    content = _content(one.get("content"), two.get("content"))
    calls = [*(one.get("tool_calls") or []), *(two.get("tool_calls") or [])]
    return one | two | {"content": content} | ({"tool_calls": calls} if calls else {})


def _content(one: Json, two: Json) -> Json:
    if not one or not two:
        return one or two
    if isinstance(one, str) and isinstance(two, str):
        return f"{one}\n\n{two}"
    return [*_parts_of(one), *_parts_of(two)]


def _parts_of(content: Json) -> Iterator[Json]:
    if isinstance(content, list):
        yield from content
    else:
        yield {"type": "text", "text": content}

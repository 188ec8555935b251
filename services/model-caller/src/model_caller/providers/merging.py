"""Neighbours of one role as one message. Templates of chats refuse others, or lose one of the two.

Two messages of a person stand side by side after Stop, a failed turn, a summary, or where they wrote twice.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded, part_of

_MERGED = (b"user", b"assistant")
_ROLE = re.compile(rb'(?:^|,)\{"role":"(\w+)"')
"""How an encoded message begins. In a text its quotes would be escaped, so it is found nowhere else."""


def merged(messages: Sequence[Element]) -> EncodedArray:
    """The messages, neighbours of role user or assistant as one: texts with a blank line between them, lists
    of parts one after the other.

    Only such neighbours are decoded. What comes before an added message stays the same, up to its neighbour's
    end.
    """
    array = encoded(messages)
    roles = [_ROLE.findall(part) for part in array.parts]
    if not _has_neighbours(roles):
        return array
    parts: list[bytes] = []
    ends: bytes | None = None
    for part, own in zip(array.parts, roles, strict=True):
        joins = bool(own) and own[0] == ends and ends in _MERGED
        if joins or _has_neighbours([own]):
            before = parts.pop() if joins else b""
            together = _merged(_elements(before) + _elements(part))
            parts.append(part_of(together))
        else:
            parts.append(part)
        ends = own[-1] if own else None
    return EncodedArray(parts)


def _has_neighbours(roles: Sequence[Sequence[bytes]]) -> bool:
    every = [role for several in roles for role in several or (b"",)]
    return any(one == two and one in _MERGED for one, two in pairwise(every))


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

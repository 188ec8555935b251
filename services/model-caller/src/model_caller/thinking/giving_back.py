"""Gives a model's thinking back with the answers that it led to, in OpenAI's form. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Thinking, Thought
from model_caller.thinking.fields import joined
from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded
from session_domain.model_requests.request import ModelRequest

_BEGINNING = b'{"role":"'


def with_thinking(request: ModelRequest, *, reasoning: bool) -> Sequence[Element]:
    """The request's messages with what their provider wants back. `reasoning`: its texts, too.

    Only the answers that led to it are decoded.
    """
    texts = request.reasoning if reasoning else {}
    places = sorted({int(place) for place in (*request.thoughts, *texts)})
    if not places:
        return request.messages
    wanted = iter([*places, -1])
    place, before = next(wanted), 0
    parts: list[bytes] = []
    for part in encoded(request.messages).parts:
        ends = before + part.count(b"," + _BEGINNING) + 1
        if not before <= place < ends:
            parts.append(part)
            before = ends
            continue
        begins = list(_beginnings(part))
        rest = 0
        while before <= place < ends:
            one, two = begins[place - before], begins[place - before + 1]
            if one > rest:
                parts.append(part[rest : one - 1])
            parts.append(
                _given(part[one : two - 1], request.thoughts.get(str(place), ()), texts.get(str(place)))
            )
            rest, place = two, next(wanted)
        if rest < len(part):
            parts.append(part[rest:])
        before = ends
    return EncodedArray(parts)


def _beginnings(part: bytes) -> Iterator[int]:
    """Where each message begins, and one more would."""
    at = 0
    while at >= 0:
        yield at
        at = part.find(b"," + _BEGINNING, at) + 1 or -1
    yield len(part) + 1


def _given(data: bytes, thoughts: Sequence[Thought], thinking: Thinking | None) -> bytes:
    message: dict[str, Any] = msgspec.json.decode(data)
    if thinking is not None and thinking.sent_as is not None:
        message[thinking.sent_as] = thinking.text
    calls: list[Json] = message.get("tool_calls") or []
    for thought in thoughts:
        if thought.place == "message":
            message |= thought.block
        elif thought.place == "call" and thought.call_at < len(calls):
            calls[thought.call_at] = joined(calls[thought.call_at], thought.block)
    return msgspec.json.encode(message)

"""Gives a model's thinking back with the answers that it led to, in OpenAI's form. Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from agent_contracts.entities.model_adaptations import Adaptation
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Thinking, Thought
from model_caller.choosing.call_adaptations import CallAdaptations
from model_caller.thinking.fields import TEXTS, joined
from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded, part_of
from session_domain.model_requests.request import ModelRequest

_BEGINNING = b'{"role":"'
_SIGNATURE = "thought_signature"
_SIGNATURE_WORDS = re.compile(r"thought[_ ]?signature", re.IGNORECASE)
_UNSIGNED: dict[str, Json] = {
    "extra_content": {"google": {"thought_signature": "skip_thought_signature_validator"}}
}
"""Google's own words for a call that another model made. A call's own signature counts before it."""
_KNOWN_PARTS = 2_000


def with_thinking(request: ModelRequest, adapted: CallAdaptations) -> ModelRequest:
    """The request with what its provider wants back in its messages. Of the texts of the reasoning, a server
    wants them that refused a request without; it may want one where none is known, which is empty then."""
    if adapted.has(Adaptation.NO_REASONING):
        return msgspec.structs.replace(request, thoughts={}, reasoning={})
    back = adapted.said(Adaptation.REASONING_BACK)
    messages = _given_back(request, reasoning=back is not None)
    if back is not None:
        field = _SIGNATURE if _SIGNATURE_WORDS.search(back) else _field_in(back)
        messages = EncodedArray([_filled(part, field) for part in encoded(messages).parts])
    return msgspec.structs.replace(request, messages=messages, thoughts={}, reasoning={})


def _field_in(said: str) -> str:
    return next((name for name in TEXTS if re.search(rf"\b{name}\b", said)), TEXTS[0])


@lru_cache(_KNOWN_PARTS)
def _filled(part: bytes, field: str) -> bytes:
    """One part of an encoded array, in which no answer with calls lacks this field."""
    if b'"tool_calls":' not in part:
        return part
    several: list[dict[str, Any]] = msgspec.json.decode(b"[" + part + b"]")
    return part_of([_with_field(message, field) for message in several])


def _with_field(message: dict[str, Any], field: str) -> dict[str, Any]:
    calls = message.get("tool_calls")
    if not calls:
        return message
    if field != _SIGNATURE:
        return message if field in message else message | {field: ""}
    first, *others = calls
    return message | {"tool_calls": [_UNSIGNED | first, *others]}


def _given_back(request: ModelRequest, *, reasoning: bool) -> Sequence[Element]:
    """The messages with what is known. Only the answers that led to it are decoded."""
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

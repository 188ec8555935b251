"""Messages in the forms that some servers want, in place of the usual ones. Pure: the same messages always
give the same bytes."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from agent_contracts.entities.model_adaptations import Adaptation
from agent_contracts.json_value import Json
from model_caller.choosing.call_adaptations import CallAdaptations
from model_caller.providers.merging import merged
from session_domain.model_requests.encoded_array import Element, EncodedArray, encoded, part_of

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 9
_BETWEEN = "(continued)"
"""Said where a template wants the other to have said something in between."""
_KNOWN_PARTS = 2_000


def adapted_messages(messages: Sequence[Element], adapted: CallAdaptations) -> Sequence[Element]:
    """The messages in the form for this model; the very same where it needs no other."""
    each = tuple(one for one in _EACH if adapted.has(one))
    array = messages
    if each:
        # A part of an encoded array has calls with their results.
        names = () if isinstance(messages, EncodedArray) else tuple(_tool_names(messages).items())
        array = EncodedArray([_in_form(part, each, names) for part in encoded(messages).parts])
    if adapted.has(Adaptation.NO_SYSTEM_ROLE):
        array = _without_system(list(array))
    if adapted.has(Adaptation.STRICT_ALTERNATION):
        array = _alternating(list(merged(array)))
    return array


def short_id(call_id: str) -> str:
    """Nine letters and digits, the same for the same id."""
    number = int.from_bytes(hashlib.sha256(call_id.encode()).digest()[:8])
    short = ""
    for _ in range(_ID_LENGTH):
        number, at = divmod(number, len(_LETTERS))
        short += _LETTERS[at]
    return short


@lru_cache(_KNOWN_PARTS)
def _in_form(part: bytes, each: tuple[Adaptation, ...], names: tuple[tuple[str, str], ...]) -> bytes:
    """One part of an encoded array. Most parts of a request were in the one before."""
    several: list[dict[str, Any]] = msgspec.json.decode(b"[" + part + b"]")
    known = dict(names) | _tool_names(several)
    for adaptation in each:
        several = [_EACH[adaptation](message, known) for message in several]
    return part_of(several)


def _tool_names(messages: Sequence[Any]) -> dict[str, str]:
    """The tool of each call, by the call's id."""
    every = (call for message in messages for call in message.get("tool_calls") or ())
    return {call["id"]: call["function"]["name"] for call in every}


def _as_text(message: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if message["role"] == "tool":
        name = names.get(message["tool_call_id"], "a tool")
        return {"role": "user", "content": f"[Result of {name}]\n{_text_of(message.get('content'))}"}
    calls = message.get("tool_calls")
    if not calls:
        return message
    lines = [f"[Called {one['function']['name']}: {one['function']['arguments']}]" for one in calls]
    said = _text_of(message.get("content"))
    return {"role": message["role"], "content": "\n".join([*([said] if said else []), *lines])}


def _as_developer(message: dict[str, Any], _: dict[str, str]) -> dict[str, Any]:
    return message | {"role": "developer"} if message["role"] == "system" else message


def _as_one_text(message: dict[str, Any], _: dict[str, str]) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, str):
        return message
    parts: list[Any] = content if isinstance(content, list) else []
    if any("text" not in one for one in parts):
        return message  # a picture is no text
    return message | {"content": _text_of(content)}


def _named(message: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if message["role"] != "tool" or message["tool_call_id"] not in names:
        return message
    return message | {"name": names[message["tool_call_id"]]}


def _with_short_ids(message: dict[str, Any], _: dict[str, str]) -> dict[str, Any]:
    if message["role"] == "tool":
        return message | {"tool_call_id": short_id(message["tool_call_id"])}
    calls = message.get("tool_calls")
    if not calls:
        return message
    return message | {"tool_calls": [one | {"id": short_id(one["id"])} for one in calls]}


_EACH: dict[Adaptation, Callable[[dict[str, Any], dict[str, str]], dict[str, Any]]] = {
    Adaptation.NO_TOOLS: _as_text,
    Adaptation.NO_TOOL_ROLE: _as_text,
    Adaptation.TOOL_NAMES: _named,
    Adaptation.SHORT_CALL_IDS: _with_short_ids,
    Adaptation.DEVELOPER_ROLE: _as_developer,
    Adaptation.TEXT_CONTENT: _as_one_text,
}
"""What changes each message alone, in this order: names are found by the ids that calls had before."""


def _without_system(messages: list[Any]) -> list[Element]:
    """What the system says stands before what the user says next."""
    found: list[Element] = []
    waiting: Json = None
    for message in messages:
        if message["role"] in ("system", "developer"):
            waiting = _joined(waiting, message.get("content"))
        elif waiting and message["role"] == "user":
            found.append(message | {"content": _joined(waiting, message.get("content"))})
            waiting = None
        elif waiting and not found:
            found += [{"role": "user", "content": waiting}, message]
            waiting = None
        else:
            found.append(message)
    return [*found, {"role": "user", "content": waiting}] if waiting else found


def _alternating(messages: list[Any]) -> list[Element]:
    """User and assistant in turn, a call with its results counted with what the assistant says after them."""
    system, rest = _split(messages)
    return [*system, *_in_turn(rest)]


def _in_turn(messages: list[Any]) -> Iterator[Element]:
    before = "assistant"
    for message in messages:
        role = message["role"]
        if role == before == "assistant" or (before == "calls" and role == "user"):
            yield {"role": "user" if role == "assistant" else "assistant", "content": _BETWEEN}
        yield message
        if role == "assistant":
            before = "calls" if message.get("tool_calls") else "assistant"
        elif role == "user":
            before = "user"


def _split(messages: list[Any]) -> tuple[list[Any], list[Any]]:
    """The system prompt, and the rest, in which nothing is the system's."""
    begins = next((at for at, one in enumerate(messages) if one["role"] != "system"), len(messages))
    rest = [one | {"role": "user"} if one["role"] == "system" else one for one in messages[begins:]]
    if begins <= 1:
        return messages[:begins], rest
    text = "\n\n".join(_text_of(one.get("content")) for one in messages[:begins])
    return [{"role": "system", "content": text}], rest


def _joined(one: Json, two: Json) -> Json:
    if not one or not two:
        return one or two
    if isinstance(one, str) and isinstance(two, str):
        return f"{one}\n\n{two}"
    return [*_parts_of(one), *_parts_of(two)]


def _parts_of(content: Json) -> list[Json]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(one.get("text", "")) for one in content or [])

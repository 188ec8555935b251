"""The fields of servers' messages in which a model's thinking comes, apart from its text. Pure.

Any field may be missing, null or of a wrong type.
"""

from collections.abc import Mapping

import msgspec

from agent_contracts.json_value import Json

TEXTS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
"""Of DeepSeek, Qwen, vLLM, SGLang and llama.cpp; of OpenRouter, Groq and newer vLLM; of Ollama; of Copilot.
Some servers send the same text in two of them."""
_PARTS = ("thinking", "reasoning", "text", "content", "summary")
_OF_MESSAGE = (
    *("reasoning_details", "thinking_blocks", "reasoning_opaque", "extra_content", "thought_signature"),
    "provider_specific_fields",
)
_OF_CALL = ("extra_content", "thought_signature", "provider_specific_fields")
_THINKING = ("thinking", "reasoning")
"""The types of parts of a content that the model thought."""
_LEVELS = 4
"""How deep parts are looked into."""
_SIGNATURE = b"signature"


class Reasoning(msgspec.Struct, frozen=True):
    """What a message or a piece of one has of thinking: its `text`, the field that had it, and the fields
    that go back as they are."""

    text: str = ""
    field: str = ""
    returned: dict[str, Json] | None = None


NOTHING = Reasoning()


def reasoning_in(message: Mapping[str, Json]) -> Reasoning:
    """The thinking of a message, or of a piece of one."""
    returned = _kept(message, _OF_MESSAGE)
    for field in TEXTS:
        if text := text_in(message.get(field)):
            return Reasoning(text, field, returned)
    content = message.get("content")
    text = "".join(
        text_in(part) for part in _objects(content) if part.get("type") in ("thinking", "reasoning")
    )
    if not text and returned is not None:
        text = text_in(returned.get("reasoning_details")) or text_in(returned.get("thinking_blocks"))
    return Reasoning(text, "", returned) if text or returned is not None else NOTHING


def returned_with_call(call: Mapping[str, Json]) -> dict[str, Json] | None:
    """The fields of a tool call that go back as they are: signatures."""
    found = _kept(call, _OF_CALL) or {}
    match call.get("function"):
        case {"thought_signature": str(signature)} if signature:
            found["function"] = {"thought_signature": signature}
    return found or None


def text_in(value: Json, levels: int = _LEVELS) -> str:
    """The text of thinking that comes as one, as a part, or as a list of them."""
    match value:
        case str():
            return value
        case list() if levels:
            return "".join(text_in(one, levels - 1) for one in value)
        case dict() if levels:
            return next((text for name in _PARTS if (text := text_in(value.get(name), levels - 1))), "")
        case _:
            return ""


def _objects(value: Json) -> list[dict[str, Json]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _kept(holder: Mapping[str, Json], names: tuple[str, ...]) -> dict[str, Json] | None:
    found = {name: holder[name] for name in names if holder.get(name) and _goes_back(name, holder[name])}
    return found or None


def _goes_back(name: str, value: Json) -> bool:
    """Fields that say other things, too, go back where they hold a signature."""
    if name in ("extra_content", "provider_specific_fields"):
        return _SIGNATURE in msgspec.json.encode(value)
    return isinstance(value, str | list)


class Fields:
    """Adds up the fields that come in pieces: the texts of a list's elements grow, each by itself."""

    def __init__(self) -> None:
        self._whole: dict[str, Json] = {}
        self._lists: dict[str, list[ThoughtBlock]] = {}
        self.size = 0
        """Bytes so far."""

    def add(self, fields: Mapping[str, Json]) -> None:
        """One more piece."""
        for name, value in fields.items():
            self.size += len(msgspec.json.encode(value))
            if isinstance(value, list):
                self._add_elements(self._lists.setdefault(name, []), value)
            else:
                self._whole[name] = joined(self._whole.get(name), value)

    def all(self) -> dict[str, Json]:
        """What there is so far."""
        lists = {name: [one.whole() for one in several] for name, several in self._lists.items()}
        return {**self._whole, **lists}

    def _add_elements(self, known: list["ThoughtBlock"], pieces: list[Json]) -> None:
        for piece in _objects(pieces):
            last = next((one for one in reversed(known) if one.takes(piece)), None)
            if last is None:
                known.append(ThoughtBlock(piece))
            else:
                last.add(piece)


class ThoughtBlock:
    """A block of thinking, or an element of a list such as `reasoning_details`: its texts come in pieces."""

    _GROWS = ("text", "thinking", "summary", "data", "signature")

    def __init__(self, piece: Mapping[str, Json] | None = None) -> None:
        self._fields: dict[str, Json] = {}
        self._texts: dict[str, list[str]] = {}
        self.add(piece or {})

    def takes(self, piece: Mapping[str, Json]) -> bool:
        """Whether the piece goes on with this element."""
        mine, index = self._fields, piece.get("index")
        if mine.get("type") != piece.get("type"):
            return False
        if index is not None:
            return bool(mine.get("index") == index)
        one, two = mine.get("id"), piece.get("id")
        return not {"signature", "data"} & self._texts.keys() and (one is None or two in (None, one))

    def add(self, piece: Mapping[str, Json]) -> None:
        """One more piece."""
        for name, value in piece.items():
            if name in self._GROWS and isinstance(value, str):
                self._texts.setdefault(name, []).append(value)
                self._fields[name] = ""
            elif value is not None or name not in self._fields:
                self._fields[name] = value

    def whole(self) -> dict[str, Json]:
        """The block, as the server would have sent it in one."""
        return {**self._fields, **{name: "".join(texts) for name, texts in self._texts.items()}}


def joined(one: Json, two: Json) -> Json:
    """Two pieces of one value: objects together, of anything else the later."""
    if isinstance(one, dict) and isinstance(two, dict):
        return {**one, **{name: joined(one.get(name), value) for name, value in two.items()}}
    return two

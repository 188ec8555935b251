"""A model's answer, put together from the pieces in which it streams. Pure."""

import json
import re

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import CutReason, Thinking, Thought, Usage
from agent_contracts.tool_spec import CALL_TOOL
from agent_platform.log.storable_text import storable
from model_caller.thinking.fields import Fields

_NAMED = re.compile(r'\s*\{\s*"name"\s*:\s*"([A-Za-z0-9_-]{1,64})"')
"""How the arguments of `call_tool` begin."""
_PIECES_OF_A_NAME = 100

MAX_CHARACTERS = 1_000_000
"""The longest answer (text, names, arguments) that is taken: its event must fit into one message."""


class ToolPiece(msgspec.Struct, frozen=True):
    """A piece of a tool call, as providers send it: any field may be missing, repeated or wrong.

    `begins`: it is certainly the beginning of a call. `is_null`: null was sent in place of arguments.
    `returned`: fields that the provider wants back with the call.
    """

    index: int | None = None
    provider_id: str = ""
    name: str = ""
    arguments: str = ""
    begins: bool = False
    is_null: bool = False
    returned: dict[str, Json] | None = None


class AnswerPiece(msgspec.Struct, frozen=True):
    """A piece of an answer; an empty one is only a sign of life.

    `usage`: the provider's own figures for the call up to here, from providers that tell them as they go.
    `was_thinking`: all text since the last tool call, or the beginning, was what the model thought. Then come
    `thinking`, which the server sent in the field `thinking_as` of its message, and the `text`.
    `thought`: a whole block of the model's thinking, as the provider wants it back; `returned`: fields of the
    message that it wants back. `prompt_read`: how much of the prompt the server has read, in
    percent, before the first word.
    """

    text: str = ""
    tools: tuple[ToolPiece, ...] = ()
    usage: Usage | None = None
    thought: dict[str, Json] | None = None
    thinking: str = ""
    thinking_as: str = ""
    was_thinking: bool = False
    returned: dict[str, Json] | None = None
    prompt_read: int | None = None

    @property
    def is_sign_of_life(self) -> bool:
        """Whether it adds nothing to the answer."""
        return self == AnswerPiece(prompt_read=self.prompt_read)


class AnswerEnding(msgspec.Struct, frozen=True):
    """The end of an answer, and what the provider says about it.

    One that was broken off has a `cut` and no `finish_reason`; `cut_words` are the server's, where it broke
    it off. `context_window` is how many tokens the model takes, if that is known.
    """

    finish_reason: str | None
    usage: Usage
    cut: CutReason | None = None
    provider_request_id: str | None = None
    context_window: int | None = None
    cut_words: str = ""


class AskedCall(msgspec.Struct, frozen=True):
    """A tool call exactly as the model asked for it."""

    provider_id: str
    name: str
    arguments: str


class ProviderAnswer(msgspec.Struct, frozen=True):
    """A whole answer. Times in milliseconds from the start of its attempt; `first_token_ms` is None if all
    came in one piece."""

    text: str
    calls: tuple[AskedCall, ...]
    ending: AnswerEnding
    latency_ms: int
    first_token_ms: int | None
    thoughts: tuple[Thought, ...] = ()
    thinking: Thinking | None = None


class AnswerTooLarge(Permanent):
    """The model doesn't stop."""

    def __init__(self) -> None:
        super().__init__(
            f"the answer grew beyond {MAX_CHARACTERS:,} characters and was stopped", kind="too_large"
        )


class _Call:
    """A tool call under way."""

    def __init__(self, piece: ToolPiece) -> None:
        self.provider_id = piece.provider_id
        self.name = piece.name
        self.arguments = [piece.arguments] if piece.arguments else []
        self.is_null = piece.is_null
        self.returned = Fields()

    def takes(self, piece: ToolPiece) -> bool:
        """Whether the piece, sent under this call's index, goes on with it rather than starting another."""
        if not piece.name:
            return True
        if piece.provider_id and self.provider_id and piece.provider_id != self.provider_id:
            return False
        if not self.arguments:
            return True
        if piece.name != self.name:
            return False
        return not (piece.arguments.lstrip().startswith("{") and _is_json("".join(self.arguments)))

    def repeats(self, piece: ToolPiece) -> bool:
        """Whether the piece says once more what has been said: some send a call whole at its end."""
        return (
            (piece.provider_id, piece.name) == (self.provider_id, self.name)
            and piece.provider_id != ""
            and piece.arguments.startswith("{")  # a part alone may look like the part before it
            and piece.arguments.endswith("}")
            and piece.arguments == "".join(self.arguments)
        )

    def known_name(self) -> str | None:
        """The name of what is called, once that is certain."""
        if self.name != CALL_TOOL:
            return self.name if self.arguments else None
        named = _NAMED.match("".join(self.arguments[:_PIECES_OF_A_NAME]))
        return None if named is None else named[1]

    def add(self, piece: ToolPiece) -> None:
        """Go on. A name comes in parts, or whole with every piece."""
        self.provider_id = self.provider_id or piece.provider_id
        if piece.name and piece.name != self.name and not self.arguments:
            self.name += piece.name
        if piece.arguments:
            if piece.arguments.lstrip().startswith("{") and "".join(self.arguments).strip() == "{}":
                self.arguments.clear()  # it stood there until the first part came
            self.arguments.append(piece.arguments)
        self.is_null = self.is_null or piece.is_null

    def asked(self) -> AskedCall:
        """What was asked for so far. Arguments of null are kept as that: a tool never runs with others."""
        sent = "".join(self.arguments)
        return AskedCall(self.provider_id, self.name, "null" if self.is_null and not sent else sent)


class Assembly:
    """Adds pieces up. Raises `AnswerTooLarge` from `add`.

    `reported` are the provider's figures so far, `unreported` the characters that came since.
    """

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._thoughts: list[Thought] = []
        self._thinking: list[str] = []
        self._thinking_as = ""
        self._thinks = False
        """The newest piece was thinking."""
        self._returned = Fields()
        self._since_tool = 0
        """How many pieces of text there were at the last tool call."""
        self._size = 0
        self._written = 0
        self.reported: Usage | None = None
        self.unreported = 0

    @property
    def size(self) -> int:
        """Characters so far: text, names, arguments and thoughts."""
        return self._size

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._text)

    def calls(self) -> tuple[AskedCall, ...]:
        """The tool calls so far, in the order in which they began."""
        return tuple(call.asked() for call in self._calls)

    def thoughts(self) -> tuple[Thought, ...]:
        """What the provider wants back of the thinking, each piece with its place."""
        found = [*self._thoughts]
        if message := self._returned.all():
            found.append(Thought(_storable(message), place="message"))
        for at, call in enumerate(self._calls):
            if fields := call.returned.all():
                found.append(Thought(_storable(fields), call_at=at, place="call"))
        return tuple(found)

    @property
    def thinking(self) -> Thinking | None:
        """What the model thought so far, for people."""
        text = "".join(self._thinking).strip()
        return Thinking(text, self._thinking_as or None) if text else None

    def names(self, *, ended: bool = False) -> list[str]:
        """The names of the tool calls so far, in order, the last one only once it is known to be whole, or
        the answer has `ended`. That of a call through `call_tool` is the name of the tool that it calls."""
        last = None if ended or not self._calls else self._calls[-1]
        found = [(call, call.known_name()) for call in self._calls]
        return [name or call.name for call, name in found if name is not None or call is not last]

    def added(self, piece: AnswerPiece) -> AnswerPiece:
        """The piece, once it is taken."""
        self.add(piece)
        return piece

    def add(self, piece: AnswerPiece) -> None:
        """Take one more piece."""
        before = self._size
        self._size += len(piece.text) + len(piece.thinking)
        if piece.was_thinking:
            self._text_was_thinking()
        if piece.thinking:
            self._add_thinking(piece.thinking)
            self._thinking_as = piece.thinking_as or self._thinking_as
        if piece.text:
            self._text.append(piece.text)
            self._written += len(piece.text)
            self._thinks = False
        if piece.returned is not None:
            self._size += self._add_returned(self._returned, piece.returned)
        for tool in piece.tools:
            self._size += len(tool.name) + len(tool.arguments) + 1
            self._add_tool(tool)
            self._thinks, self._since_tool = False, len(self._text)
        self.unreported += self._size - before
        if piece.thought is not None:
            self._size += sum(len(value) for value in piece.thought.values() if isinstance(value, str))
            self._thoughts.append(Thought(piece.thought, self._written, len(self._calls)))
        if piece.usage is not None:
            self.reported, self.unreported = _further(self.reported, piece.usage), 0
        if self._size > MAX_CHARACTERS:
            raise AnswerTooLarge()

    def _text_was_thinking(self) -> None:
        text = "".join(self._text[self._since_tool :])
        del self._text[self._since_tool :]
        self._written -= len(text)
        self._add_thinking(text)

    def _add_thinking(self, text: str) -> None:
        if self._thinking and not self._thinks:
            self._thinking.append("\n\n")
        self._thinking.append(text)
        self._thinks = True

    def _add_returned(self, known: Fields, piece: dict[str, Json]) -> int:
        before = known.size
        known.add(piece)
        return known.size - before

    def _add_tool(self, piece: ToolPiece) -> None:
        call = None if piece.begins else self._call_of(piece)
        if call is not None and call.repeats(piece):
            pass
        elif call is not None and call.takes(piece):
            call.add(piece)
        else:
            call = _Call(piece)
            self._calls.append(call)
            if piece.index is not None:
                self._by_index[piece.index] = call
        if piece.returned is not None:
            self._size += self._add_returned(call.returned, piece.returned)

    def _call_of(self, piece: ToolPiece) -> _Call | None:
        """The call that the piece may belong to. Where an index is missing or repeated, ids tell."""
        if piece.index is not None:
            call = self._by_index.get(piece.index)
            if call is None or not piece.provider_id or call.provider_id in ("", piece.provider_id):
                return call
        else:
            call = self._calls[-1] if self._calls else None
        same = (one for one in reversed(self._calls) if one.provider_id == piece.provider_id != "")
        return next(same, call)


def _further(before: Usage | None, now: Usage) -> Usage:
    """Figures grow; some providers tell the input first and the output alone later."""
    if before is None:
        return now
    return Usage(
        max(before.input, now.input),
        max(before.output, now.output),
        max(before.cached_input, now.cached_input),
        max(before.cache_written, now.cache_written),
    )


ENDED_BY_CALLS = ("tool_calls", "function_call")
"""Why an answer ended, of one that goes on with its calls' results."""
_REASONS = {
    "stop": (
        *("stop", "end_turn", "stop_sequence", "pause_turn", "eos", "eos_token", "end", "end_of_turn"),
        *("complete", "completed", "done", "finish", "finished", "stop_token", "success"),
    ),
    "tool_calls": ("tool_calls", "tool_use", "tool_call", "tools"),
    "function_call": ("function_call",),
    "length": (
        *("length", "max_tokens", "max_length", "max_new_tokens", "max_output_tokens", "model_length"),
        *("model_context_window_exceeded", "max_completion_tokens", "token_limit"),
    ),
    "content_filter": (
        *("content_filter", "content_filtered", "safety", "recitation", "refusal", "sensitive", "blocklist"),
        *("prohibited_content", "spii", "error_toxic", "guardrail_intervened", "image_safety", "language"),
    ),
}
_KNOWN = {theirs: ours for ours, several in _REASONS.items() for theirs in several}


def known_reason(said: str | None) -> str | None:
    """Why an answer ended in OpenAI's words, of a server that has its own for it; those of any other reason
    stay as they are."""
    return said and _KNOWN.get(said.lower(), said)


def is_whole(finish_reason: str) -> bool:
    """Whether an answer that ended so was brought to its end by the model, or by a limit that is known. Any
    other reason means that something broke it off: `error`, `network_error`, `abort`."""
    return finish_reason in _REASONS


def text_of(content: Json) -> str:
    """The text of a message's content: as it is, or that of its parts where a server sends a list of them.

    What a model thinks isn't said; of a part that is no text, its type is shown in its place.
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "".join(map(_text_of_part, parts))


def _text_of_part(part: Json) -> str:
    match part:
        case str():
            return part
        case {"type": "thinking" | "reasoning"}:
            return ""
        case {"text": str(text)} | {"refusal": str(text)}:
            return text
        case {"type": "text"}:
            return ""
        case {"type": str(kind)}:
            return f"[{kind}]"
        case _:
            return ""


def _storable(fields: dict[str, Json]) -> dict[str, Json]:
    kept = storable(fields)
    assert isinstance(kept, dict)
    return kept


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

"""What an OpenAI-compatible server answers, read from its JSON: streamed, or all of it at once.

Any field may be missing, null or of a wrong type.
"""

from collections.abc import Mapping

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import AnswerPiece, ToolPiece, known_reason, text_of
from model_caller.answers.thinking_pieces import split, split_end
from model_caller.providers.json_fields import arguments_text, count, mapping, mappings, word
from model_caller.providers.said_errors import SaidError, error_in
from model_caller.thinking.fields import reasoning_in, returned_with_call
from model_caller.thinking.splitting import ThinkingSplitter


class ChunkReading:
    """Reads an answer's chunks in their order.

    `is_whole`: all of it came at once. `error`: what the server says where it broke the answer off.
    """

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self.finish_reason: str | None = None
        self.error: SaidError | None = None
        self.is_whole = False
        self.anything = False
        self.prompt_tokens = 0
        """How long the prompt is, as llama.cpp tells it while it reads."""
        self._splitting = ThinkingSplitter()

    def take(self, chunk: Mapping[str, Json]) -> AnswerPiece:
        """What a chunk adds to the answer. A refusal is said in the model's words, so it is text too."""
        choices = mappings(chunk.get("choices"))
        # Of several answers, which nobody asked for, the first one.
        choice = next((one for one in choices if not one.get("index")), choices[0] if choices else {})
        usage = usage_of(chunk, choice)
        self.usage = usage or self.usage
        progress = mapping(chunk.get("prompt_progress"))
        self.prompt_tokens = count(progress.get("total")) or self.prompt_tokens
        self.finish_reason = known_reason(word(choice.get("finish_reason")) or None) or self.finish_reason
        if choice and (chunk.get("error") or choice.get("error")):
            self.error = error_in(dict(chunk))
        # Figures at the end are of a whole answer: it isn't broken off for them.
        piece = msgspec.structs.replace(
            self._piece(choice),
            usage=None if self.finish_reason else usage,
            prompt_read=_prompt_read(progress),
        )
        self.anything = self.anything or not piece.is_sign_of_life
        return split(self._splitting, piece)

    def rest(self) -> AnswerPiece:
        """What was kept back of the text, at the end of the answer."""
        return split_end(self._splitting)

    def _piece(self, choice: Mapping[str, Json]) -> AnswerPiece:
        delta, message = mapping(choice.get("delta")), mapping(choice.get("message"))
        if message and not delta and not self.anything:  # some repeat all of it at a stream's end
            self.is_whole = True
            return _said(message, begins=True)
        if not delta and "delta" not in choice:
            return AnswerPiece(word(choice.get("text")))
        return _said(delta)


def _prompt_read(progress: Mapping[str, Json]) -> int | None:
    """Percent of the prompt that llama.cpp has read, of what it hadn't kept from before."""
    kept = count(progress.get("cache"))
    total, read = count(progress.get("total")) - kept, count(progress.get("processed")) - kept
    return round(100 * min(max(read, 0), total) / total) if total > 0 else None


def usage_of(chunk: Mapping[str, Json], choice: Mapping[str, Json]) -> Usage | None:
    """The server's figures; None if they are missing or all zero. Some have them in the choice."""
    usage = mapping(chunk.get("usage")) or mapping(choice.get("usage"))
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if not prompt and not completion:
        return None
    details = mapping(usage.get("prompt_tokens_details"))
    return Usage(input=prompt, output=completion, cached_input=count(details.get("cached_tokens")))


def _said(delta: Mapping[str, Json], *, begins: bool = False) -> AnswerPiece:
    text = text_of(delta.get("content")) + text_of(delta.get("refusal"))
    several = delta.get("tool_calls")
    calls = mappings([several] if isinstance(several, dict) else several)
    tools = tuple(_tool_piece(call, begins=begins, first=not at) for at, call in enumerate(calls))
    function = mapping(delta.get("function_call"))
    if function and not tools:  # how it was before there were tool calls
        tools = (_tool_piece({"index": 0, "function": dict(function)}, begins=begins, first=True),)
    thought = reasoning_in(delta)
    return AnswerPiece(
        text, tools, thinking=thought.text, thinking_as=thought.field, returned=thought.returned
    )


def _tool_piece(call: Mapping[str, Json], *, begins: bool, first: bool) -> ToolPiece:
    function = mapping(call.get("function")) or call
    index, name = call.get("index"), word(function.get("name"))
    known = index if isinstance(index, int) else None
    return ToolPiece(
        known,
        word(call.get("id")),
        name,
        arguments_text(function.get("arguments")),
        # Of several in one chunk each is another one, unless an index says otherwise.
        begins=begins or (known is None and bool(name) and not first),
        is_null="arguments" in function and function["arguments"] is None,
        returned=returned_with_call(call),
    )

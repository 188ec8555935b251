"""What an OpenAI-compatible server streams, read from its JSON.

Any field may be missing, null or of a wrong type.
"""

from collections.abc import Iterable, Mapping

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Piece, ToolPiece, known_reason, text_of


def piece_of(chunk: Mapping[str, Json]) -> Piece:
    """What a chunk adds to the answer. A refusal is said in the model's words, so it is text too."""
    choice = _first(chunk.get("choices"))
    delta = _mapping(choice.get("delta"))
    text = text_of(delta.get("content")) + text_of(delta.get("refusal"))
    tools = tuple(_tool_piece(call) for call in _mappings(delta.get("tool_calls")))
    function = _mapping(delta.get("function_call"))
    if function and not tools:  # how it was before there were tool calls
        tools = (ToolPiece(0, "", _word(function.get("name")), _word(function.get("arguments"))),)
    return Piece(text, tools)


def finish_reason_of(chunk: Mapping[str, Json]) -> str | None:
    """Why the answer ends, if this chunk says so."""
    return known_reason(_word(_first(chunk.get("choices")).get("finish_reason")) or None)


def usage_of(chunk: Mapping[str, Json]) -> Usage | None:
    """The server's figures; None if they are missing or all zero."""
    usage = _mapping(chunk.get("usage"))
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if not prompt and not completion:
        return None
    details = _mapping(usage.get("prompt_tokens_details"))
    return Usage(input=prompt, output=completion, cached_input=_count(details.get("cached_tokens")))


def _tool_piece(call: Mapping[str, Json]) -> ToolPiece:
    function = _mapping(call.get("function"))
    index = call.get("index")
    return ToolPiece(
        index if isinstance(index, int) else None,
        _word(call.get("id")),
        _word(function.get("name")),
        _word(function.get("arguments")),
    )


def _first(choices: Json) -> Mapping[str, Json]:
    return next(iter(_mappings(choices)), {})


def _mappings(value: Json) -> Iterable[Mapping[str, Json]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _word(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

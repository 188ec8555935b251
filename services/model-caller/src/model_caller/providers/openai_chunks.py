"""What an OpenAI-compatible server streams, read from its JSON.

Any field may be missing, null or of a wrong type.
"""

from collections.abc import Mapping

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Piece, ToolPiece, known_reason, text_of
from model_caller.providers.json_fields import arguments_text, count, mapping, mappings, word


def piece_of(chunk: Mapping[str, Json]) -> Piece:
    """What a chunk adds to the answer. A refusal is said in the model's words, so it is text too."""
    choice = _first(chunk.get("choices"))
    delta = mapping(choice.get("delta"))
    text = text_of(delta.get("content")) + text_of(delta.get("refusal"))
    tools = tuple(_tool_piece(call) for call in mappings(delta.get("tool_calls")))
    function = mapping(delta.get("function_call"))
    if function and not tools:  # how it was before there were tool calls
        tools = (ToolPiece(0, "", word(function.get("name")), arguments_text(function.get("arguments"))),)
    return Piece(text, tools)


def finish_reason_of(chunk: Mapping[str, Json]) -> str | None:
    """Why the answer ends, if this chunk says so."""
    return known_reason(word(_first(chunk.get("choices")).get("finish_reason")) or None)


def usage_of(chunk: Mapping[str, Json]) -> Usage | None:
    """The server's figures; None if they are missing or all zero."""
    usage = mapping(chunk.get("usage"))
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if not prompt and not completion:
        return None
    details = mapping(usage.get("prompt_tokens_details"))
    return Usage(input=prompt, output=completion, cached_input=count(details.get("cached_tokens")))


def _tool_piece(call: Mapping[str, Json]) -> ToolPiece:
    function = mapping(call.get("function"))
    index = call.get("index")
    return ToolPiece(
        index if isinstance(index, int) else None,
        word(call.get("id")),
        word(function.get("name")),
        arguments_text(function.get("arguments")),
    )


def _first(choices: Json) -> Mapping[str, Json]:
    return next(iter(mappings(choices)), {})

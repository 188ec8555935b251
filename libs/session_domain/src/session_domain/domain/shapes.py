"""The shapes in which a model is shown a session's messages: data, recorded with what was shown.

So what a model saw long ago is built again in the shapes of then. A shape is JSON in which

- `"$name"` is a field of what is shown (`"$excerpt.blob.size"`: a field of a field),
- `{"$json": shape}` is the JSON text of a shape,
- `{"$text": [...]}` joins texts, `{"$join": separator, "of": "$texts"}` those of a list,
- `{"$each": field, "of": shape}` in a list is the shape for each element of the field,
- `{"$first": [{"if": field, "then": shape}, ..., {"then": shape}]}` is the first whose field is not null.
"""

from typing import Any

import msgspec

from agent_contracts.json_value import Json
from session_domain.domain.compaction import SUMMARISE, WARNING

Shapes = dict[str, Json]

_CONTENT_OF_A_RESULT: Json = {
    "$first": [
        {"if": "error", "then": {"$json": {"error": "$error"}}},
        {
            "if": "excerpt",
            "then": {
                "$json": {
                    "truncated": True,
                    "size": "$excerpt.blob.size",
                    "file_id": "$excerpt.blob.sha256",
                    "head": "$excerpt.head",
                    "tail": "$excerpt.tail",
                }
            },
        },
        {"then": {"$json": "$result"}},
    ]
}
_CALL: Json = {
    "id": "$call_id",
    "type": "function",
    "function": {"name": "$tool", "arguments": {"$json": "$arguments"}},
}
_RESULT: Json = {"role": "tool", "tool_call_id": "$call_id", "content": _CONTENT_OF_A_RESULT}

SHAPES: Shapes = {
    "system": [{"role": "system", "content": {"$join": "\n\n", "of": "$parts"}}],
    "clock": {"$text": ["# Now\n\n", "$day", " ", "$minute", " (", "$timezone", "), when this turn began."]},
    "user": [{"role": "user", "content": "$text"}],
    "assistant": [{"role": "assistant", "content": "$text"}],
    "calling": [
        {
            "role": "assistant",
            "content": "$text",
            "tool_calls": [{"$each": "tool_calls", "of": _CALL}],
        },
        {"$each": "tool_calls", "of": _RESULT},
    ],
    "shadow": [
        {
            "role": "user",
            "content": {"$text": ["[Foldline] Summary of what came before:\n\n", "$summary"]},
        }
    ],
    "warning": [{"role": "user", "content": WARNING}],
    "summary": [{"role": "user", "content": SUMMARISE}],
}
"""Today's. Each call of an answer is followed by its one result, in order."""


def filled(shape: Json, shown: object) -> Any:
    """The shape with what is shown put in."""
    match shape:
        case str() if shape.startswith("$"):
            return _field(shown, shape[1:])
        case {"$json": inner}:
            return msgspec.json.encode(filled(inner, shown)).decode()
        case {"$text": list(parts)}:
            return "".join(filled(part, shown) for part in parts)
        case {"$join": str(separator), "of": inner}:
            return separator.join(filled(inner, shown))
        case {"$each": str(name), "of": inner}:
            return [filled(inner, one) for one in _field(shown, name)]
        case {"$first": list(choices)}:
            return next(
                filled(choice["then"], shown)
                for choice in choices
                if "if" not in choice or _field(shown, choice["if"]) is not None
            )
        case dict():
            return {name: filled(inner, shown) for name, inner in shape.items()}
        case list():
            return [one for inner in shape for one in _elements(inner, shown)]
        case _:
            return shape


def _elements(inner: Json, shown: object) -> list[Any]:
    found = filled(inner, shown)
    return found if isinstance(inner, dict) and "$each" in inner else [found]


def _field(shown: object, path: str) -> Any:
    for name in path.split("."):
        shown = getattr(shown, name)
    return shown

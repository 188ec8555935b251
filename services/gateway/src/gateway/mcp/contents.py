"""What own tools return, as what MCP has for it: parts of a result, messages of a prompt, contents of a
resource."""

from collections.abc import Sequence
from typing import TypeVar

import mcp_types as types
import msgspec
from pydantic import BaseModel, TypeAdapter, ValidationError

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json

LARGEST = 2 * 1024 * 1024
"""Characters of all parts together: a picture can't come in pieces."""
MOST_PARTS = 100
_Contents = types.TextResourceContents | types.BlobResourceContents
_PARTS: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock])
_MESSAGES: TypeAdapter[list[types.PromptMessage]] = TypeAdapter(list[types.PromptMessage])
_CONTENTS: TypeAdapter[list[_Contents]] = TypeAdapter(list[_Contents])

P = TypeVar("P", bound=BaseModel)


def contents(value: Json) -> list[types.ContentBlock] | None:
    """The parts of `{"content": […]}`; None for any other value, which is sent as it is. `Rejected` where
    they are too many or too large."""
    return _bounded(_listed(value, "content", _PARTS)) or None


def messages_of(value: Json) -> list[types.PromptMessage]:
    """Those of `{"messages": […]}`; else the parts of `{"content": […]}`, or the value, are what a person
    says. `Rejected` where they are too many or too large."""
    if found := _listed(value, "messages", _MESSAGES):
        return _bounded(found)
    parts = contents(value) or _bounded([types.TextContent(type="text", text=_text(value))])
    return [types.PromptMessage(role="user", content=part) for part in parts]


def resource_of(uri: str, value: Json) -> list[_Contents]:
    """Those of `{"contents": [{"text" | "blob", "mimeType"?}]}`, at this address unless they name another; a
    text as it is, any other value as JSON. `Rejected` where they are too many or too large."""
    match value:
        case {"contents": list(given)}:
            placed: Json = {
                "contents": [{"uri": uri, **one} if isinstance(one, dict) else one for one in given]
            }
            if found := _listed(placed, "contents", _CONTENTS):
                return _bounded(found)
    kind = "text/plain" if isinstance(value, str) else "application/json"
    return _bounded([types.TextResourceContents(uri=uri, mime_type=kind, text=_text(value))])


def _text(value: Json) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _listed(value: Json, name: str, kind: TypeAdapter[list[P]]) -> list[P]:
    """What stands under the value's only member; nothing where it has another shape."""
    if not isinstance(value, dict) or value.keys() != {name} or not isinstance(value[name], list):
        return []
    try:
        return kind.validate_python(value[name], by_name=False)
    except ValidationError:
        return []


def _bounded(found: Sequence[P]) -> list[P]:
    size = sum(len(part.model_dump_json()) for part in found)
    if len(found) > MOST_PARTS or size > LARGEST:
        raise Rejected(
            f"The tool ran, and its result has {len(found):,} parts of {size:,} characters: at most "
            f"{MOST_PARTS} of {LARGEST:,} are sent",
            kind="too_large",
        )
    return [*found]

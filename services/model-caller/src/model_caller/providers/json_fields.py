"""JSON whose writer is not trusted to keep to its rules, nor to types."""

import json
from collections.abc import Mapping

import msgspec

from agent_contracts.json_value import Json

_TOO_MANY = 10**12
"""What is added to a session's tokens must leave them a number that the tables take."""


def decoded(data: str | bytes) -> Json:
    """The value. Raises `ValueError` for what isn't JSON.

    What some servers send and few parsers take is read: half a character (the other half comes with the next
    chunk), line breaks within strings, numbers that are none (as null).
    """
    try:
        value: Json = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        try:
            value = json.loads(data, strict=False, parse_constant=lambda _: None)
        except RecursionError as error:
            raise ValueError("it has too many levels") from error
    return value


def mapping(value: Json) -> Mapping[str, Json]:
    """An object; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def mappings(value: Json) -> list[Mapping[str, Json]]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(value: Json) -> str:
    """A text; an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def arguments_text(value: object) -> str:
    """A call's arguments as text. Some servers send the value itself where the protocol has its text.

    Null is none: in a stream it says that nothing has come yet.
    """
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # half a character
        return json.dumps(value, ensure_ascii=False)


def count(value: Json) -> int:
    """A number of tokens; 0 in place of anything else, as of one that no call comes to."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _TOO_MANY else 0

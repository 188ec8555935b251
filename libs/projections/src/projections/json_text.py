"""JSON as text that Postgres takes as jsonb."""

import re

import msgspec

from agent_contracts.json_value import Json
from projections.table import JsonText

_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
_encoder = msgspec.json.Encoder()


def json_text(value: Json) -> JsonText:
    """A value as JSON text."""
    return JsonText(_encoder.encode(value).decode())


def json_text_or_none(value: Json | None) -> JsonText | None:
    """As `json_text`, for a column that is null where there is no value."""
    return None if value is None else json_text(value)


def without_nul(data: bytes) -> bytes:
    r"""JSON in which each U+0000, which jsonb can't hold, became the six visible characters `\u0000`."""
    if rb"\u0000" not in data:
        return data
    return _NUL.sub(rb"\1\\\\u0000", data)


def visible(text: str) -> str:
    r"""Text that Postgres takes: U+0000 and lone surrogates as visible escapes such as `\u0000`."""
    return text.replace("\x00", r"\u0000").encode("utf-8", "backslashreplace").decode()

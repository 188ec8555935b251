"""Text that can be stored everywhere: no U+0000 (Postgres refuses it), no lone surrogates (no UTF-8)."""

import re

from agent_contracts.json_value import Json

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Json) -> Json:
    """The same JSON value with U+FFFD in place of every character that can't be stored, in keys as well."""
    match value:
        case str():
            return _UNSTORABLE.sub(REPLACEMENT, value)
        case list() | tuple():
            return [storable(item) for item in value]
        case dict():
            return {storable(key): storable(item) for key, item in value.items()}
        case _:
            return value

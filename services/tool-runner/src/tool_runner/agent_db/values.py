"""Values between JSON and SQLite. JSON has no bytes, no infinities, and readers of it no large integers."""

import base64
import binascii
import math
from collections.abc import Sequence

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json

SqlValue = int | float | str | bytes | None


class CutValue(msgspec.Struct, frozen=True):
    """The beginning of a text or blob that has `size` characters or bytes."""

    beginning: str | bytes
    size: int


BASE64 = "$base64"
CUT = "$cut"
LARGEST_EXACT = 2**53
"""Beyond this, integers are given as text: readers of JSON round them."""
_LARGEST = 2**63


def to_sql(params: Sequence[Json]) -> tuple[SqlValue, ...]:
    """Parameters as SQLite takes them. `Rejected(kind="invalid_arguments")` names the first that it can't."""
    return tuple(_to_sql(value, f"/params/{place}") for place, value in enumerate(params))


def cut(value: SqlValue, size: int) -> SqlValue | CutValue:
    """No more than the first `size` characters or bytes of it."""
    if isinstance(value, (str, bytes)) and len(value) > size:
        return CutValue(value[:size], len(value))
    return value


def to_json(value: SqlValue | CutValue) -> Json:
    """A value as JSON: blobs as `{"$base64": …}`, integers beyond 2^53 as text, what is no number as null;
    of what was cut the beginning and the size: `{"$cut": …, "size": …}`."""
    match value:
        case CutValue(beginning, size):
            return {CUT: to_json(beginning), "size": size}
        case bytes():
            return {BASE64: base64.b64encode(value).decode()}
        case int() if abs(value) > LARGEST_EXACT:
            return str(value)
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def size_of(value: SqlValue | CutValue) -> int:
    """About how many bytes it has as JSON."""
    if isinstance(value, CutValue):
        return len(value.beginning)
    return len(value) if isinstance(value, (str, bytes)) else 8


def _to_sql(value: Json, path: str) -> SqlValue:
    match value:
        case bool():
            return int(value)
        case int() if not -_LARGEST <= value < _LARGEST:
            raise _refused(f"{value} is not a 64-bit integer: pass it as text", path)
        case None | int() | float() | str():
            return value
        case {"$base64": str(text), **rest} if not rest:
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError) as error:
                raise _refused(f"not base64: {error}", f"{path}/{BASE64}") from error
        case _:
            raise _refused('an array or object is not a SQL value: pass JSON text, or {"$base64": …}', path)


def _refused(message: str, path: str) -> Rejected:
    return Rejected(message, kind="invalid_arguments", path=path)

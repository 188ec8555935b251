"""Names of arguments as models can be sent them, and back. Pure.

Foreign tools name their arguments as they like (`uids[]`, `$filter`, `first name`, `名前`); model providers
take ASCII names of at most 64 characters. Every bridge to foreign tools shows models the schema of
`for_models`, and sends what `for_server` makes of the arguments. A name that providers take stays as it is.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_contracts.json_value import Json

PROPERTY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""What providers take: Anthropic's pattern is the narrowest."""
_LONGEST, _DIGITS = 64, 6
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_VALUES = ("default", "const")
_LISTS = ("enum", "examples")


def for_models(schema: dict[str, Json]) -> dict[str, Json]:
    """The schema with names that providers take; a description says what the server calls a renamed one. The
    schema has no references (`written_out`)."""
    names = _names(schema)
    return _renamed(schema, names) if names else schema


def for_server(schema: dict[str, Json], arguments: dict[str, Json]) -> dict[str, Json]:
    """Arguments that a model gave by `for_models(schema)`, with the server's own names."""
    names = _names(schema)
    if not names:
        return arguments
    found: dict[str, Json] = _with_names(arguments, [schema], names, to_models=False)
    return found


def _names(schema: Any) -> dict[str, str]:
    """Each name in the schema that providers don't take, and the one that stands for it. No two are alike,
    and none is that of another argument, whatever the order in which they stand."""
    told = dict.fromkeys(_told(schema))
    kept = {name for name in told if PROPERTY_NAME.fullmatch(name)}
    plain = {name: _plain(name) for name in told if name not in kept}
    found: dict[str, str] = {}
    taken = set(kept)
    for name in sorted(plain):
        wanted = plain[name]
        if not wanted or wanted in kept or [*plain.values()].count(wanted) > 1 or len(wanted) > _LONGEST:
            wanted = _hashed(name, wanted, taken)
        found[name] = wanted
        taken.add(wanted)
    return found


def _plain(name: str) -> str:
    """The name with only what providers take; letters lose their accents."""
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    if any(char.isalnum() and not unicodedata.normalize("NFKD", char)[0].isascii() for char in name):
        ascii_only = ""  # of a name in another script nothing that is left says what it means
    return _UNFIT.sub("_", ascii_only).strip("_.-")


def _hashed(name: str, plain: str, taken: set[str]) -> str:
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
    for digits in range(_DIGITS, len(digest)):
        found = f"{(plain or 'argument')[: _LONGEST - digits - 1]}_{digest[:digits]}"
        if found not in taken:
            return found
    raise AssertionError("two names have one SHA-256")


def _told(schema: Any) -> Iterator[str]:
    """Every name of a property, at any depth."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        yield from properties
    for inner in _within(schema):
        yield from _told(inner)


def _within(schema: Mapping[str, Any]) -> Iterator[Any]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        yield from properties.values()
    yield from (schema[name] for name in ("items", "additionalProperties") if name in schema)
    for keyword in _ALTERNATIVES:
        if isinstance(schema.get(keyword), list):
            yield from schema[keyword]


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for keyword in _VALUES:
        if keyword in found:
            found[keyword] = _with_names(found[keyword], [schema], names, to_models=True)
    for keyword in _LISTS:
        if isinstance(found.get(keyword), list):
            found[keyword] = [_with_names(one, [schema], names, to_models=True) for one in found[keyword]]
    for keyword in ("items", "additionalProperties"):
        if keyword in found:
            found[keyword] = _renamed(found[keyword], names)
    for keyword in _ALTERNATIVES:
        if isinstance(found.get(keyword), list):
            found[keyword] = [_renamed(one, names) for one in found[keyword]]
    if isinstance(found.get("properties"), dict):
        found["properties"] = {
            names.get(name, name): _described(name, _renamed(inner, names), names)
            for name, inner in found["properties"].items()
        }
    if isinstance(found.get("required"), list):
        found["required"] = [names.get(one, one) for one in found["required"]]
    return found


def _described(name: str, schema: Any, names: Mapping[str, str]) -> Any:
    if name not in names or not isinstance(schema, dict):
        return schema
    said = schema.get("description")
    before = f"{said} " if isinstance(said, str) and said else ""
    return {**schema, "description": f"{before}(The server calls it {name!r}.)"}


def _with_names(value: Json, schemas: Sequence[Any], names: Mapping[str, str], *, to_models: bool) -> Any:
    """The value, with the names of what these schemas say of it; what they don't name keeps its own."""
    known = [one for schema in schemas for one in _applying(schema)]
    if isinstance(value, list):
        below = [one["items"] for one in known if "items" in one]
        return [_with_names(item, below, names, to_models=to_models) for item in value]
    if not isinstance(value, dict):
        return value
    said = {name for one in known if isinstance(one.get("properties"), dict) for name in one["properties"]}
    other: dict[str, str] = {(name if to_models else names.get(name, name)): name for name in said}
    found: dict[str, Json] = {}
    for key, item in value.items():
        own = other.get(str(key), str(key))
        below = [one["properties"][own] for one in known if own in (one.get("properties") or {})]
        if own not in said:
            below = [one["additionalProperties"] for one in known if "additionalProperties" in one]
        inner = _with_names(item, below, names, to_models=to_models)
        found[names.get(own, own) if to_models and own in said else own] = inner
    return found


def _applying(schema: Any) -> Iterator[Mapping[str, Any]]:
    """The schema and its alternatives: each may say something of the value."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword in _ALTERNATIVES:
        if isinstance(schema.get(keyword), list):
            for one in schema[keyword]:
                yield from _applying(one)

"""JSON Schemas without references: what one refers to within itself is put in its place, since providers of
models take no references. Pure."""

from typing import Any

MOST_PARTS = 4_000
"""Schemas within the schema, after what it refers to was put in its place."""
MOST_LEVELS = 20
DEFINITIONS = ("$defs", "definitions")
_MANY = ("anyOf", "oneOf", "allOf")
_ONE = ("items", "additionalProperties")


class SchemaUnwritable(Exception):
    """Why it can't be written out, in words that follow *the schema*."""


def written_out(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without references and without definitions. Raises Unwritable where it refers to itself, to
    what isn't there or isn't its own, and where it would become too large."""
    found = _Writing(schema).written(schema, 0, ())
    assert isinstance(found, dict)
    return {name: value for name, value in found.items() if name not in DEFINITIONS}


class _Writing:
    def __init__(self, whole: dict[str, Any]) -> None:
        self._whole = whole
        self._parts = 0

    def written(self, schema: Any, level: int, within: tuple[str, ...]) -> Any:
        """A schema at this level, `within` what was referred to. Anything but a schema stays as it is."""
        self._parts += 1
        if self._parts > MOST_PARTS or level > MOST_LEVELS:
            raise SchemaUnwritable("is too large, once what it refers to is in its place")
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self._referred(schema, level, within)
        found = dict(schema)
        if isinstance(found.get("properties"), dict):
            found["properties"] = {
                name: self.written(inner, level + 1, within) for name, inner in found["properties"].items()
            }
        for keyword in _ONE:
            if keyword in found:
                found[keyword] = self.written(found[keyword], level + 1, within)
        for keyword in _MANY:
            if isinstance(found.get(keyword), list):
                found[keyword] = [self.written(inner, level + 1, within) for inner in found[keyword]]
        return found

    def _referred(self, schema: dict[str, Any], level: int, within: tuple[str, ...]) -> Any:
        """What is referred to, with what stands beside the reference."""
        reference = schema["$ref"]
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise SchemaUnwritable(f"refers to {str(reference)[:80]!r}, outside itself")
        if reference in within:
            raise SchemaUnwritable(f"refers to itself ({reference[:80]})")
        target: Any = self._whole
        for step in reference[2:].split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or step not in target:
                raise SchemaUnwritable(f"refers to {reference[:80]!r}, which isn't there")
            target = target[step]
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        joined = {**target, **beside} if isinstance(target, dict) else target
        return self.written(joined, level, (*within, reference))

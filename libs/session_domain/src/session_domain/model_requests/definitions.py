"""Tool definitions as they are sent, each made, encoded and hashed once: they change far less than they are
sent."""

from typing import Generic, TypeVar

import msgspec
from cachetools import LRUCache

from agent_contracts.blob_ref import sha256_of
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import ToolSpec
from session_domain.domain.shown import prompt

REMEMBERED = 5_000
"""Of how many tools one process remembers the definition."""

K = TypeVar("K")
V = TypeVar("V")


class EncodedDefinition(msgspec.Struct, frozen=True):
    """A definition's JSON, and the SHA-256 under which it is stored."""

    data: bytes
    sha256: str


class OfOne(Generic[K, V]):
    """What follows from an object that is never changed, by the object itself, which is kept with it."""

    def __init__(self) -> None:
        self._known: LRUCache[int, tuple[K, V]] = LRUCache(REMEMBERED)

    def get(self, key: K) -> V | None:
        """What was remembered of this very object."""
        found = self._known.get(id(key))
        return None if found is None or found[0] is not key else found[1]

    def set(self, key: K, value: V) -> V:
        """Remember it."""
        self._known[id(key)] = (key, value)
        return value


_definitions: OfOne[ToolSpec, dict[str, Json]] = OfOne()
_encoded: OfOne[dict[str, Json], EncodedDefinition] = OfOne()


def definition_of(tool: ToolSpec) -> dict[str, Json]:
    """`prompt.definition` of a tool. Not to be changed: the next call gets the same object."""
    return _definitions.get(tool) or _definitions.set(tool, prompt.definition(tool))


def encoded_definition(definition: dict[str, Json]) -> EncodedDefinition:
    """A definition that `definition_of` gave, or any other that nobody changes, encoded."""
    found = _encoded.get(definition)
    if found is None:
        data = msgspec.json.encode(definition)
        found = _encoded.set(definition, EncodedDefinition(data, sha256_of(data)))
    return found

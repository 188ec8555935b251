"""What a new agent has made already: definitions that show what its own can look like.

Each is a file of its own, `starters/<kind>/<name>.<suffix>`, with the other fields of its definition in a
JSON file beside it. There is no list of them.
"""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.json_value import Json
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.skill import SKILL
from agent_contracts.kinds.tool import TOOL

_SOURCES: tuple[tuple[ThingKind[Any], str, str], ...] = (
    (TOOL, "js", "code"),
    (FUNCTION, "js", "code"),
    (LIBRARY, "js", "code"),
    (COMPONENT, "jsx", "code"),
    (SKILL, "md", "content"),
)
"""Of each kind, the suffix of its files and the field that they hold."""


class Starter(msgspec.Struct, frozen=True):
    """The definition that an agent begins with under a name, as its entity's value."""

    kind: EntityKind
    name: str
    value: dict[str, Json]


def definitions_in(root: Traversable) -> Iterator[Starter]:
    """Those in a folder that is made in this way. Raises ValueError for a file that doesn't fit its kind, and
    for one that lies where nothing is looked for."""
    _check_folders(root)
    for kind, suffix, field in _SOURCES:
        folder = root.joinpath(kind.kind.value)
        if not folder.is_dir():
            continue
        for path in sorted(folder.iterdir(), key=lambda one: one.name):
            name, _, ending = path.name.rpartition(".")
            if ending != suffix:
                if ending != "json" and not _is_passed_over(path.name):
                    raise ValueError(
                        f"{folder.name}/{path.name} is not read: a {folder.name} ends with .{suffix}"
                    )
                continue
            text = path.read_text(encoding="utf-8-sig").strip()
            beside = msgspec.json.decode(folder.joinpath(f"{name}.json").read_text(encoding="utf-8-sig"))
            value = msgspec.convert({field: text, **beside}, kind.shape)
            yield Starter(kind.kind, name, msgspec.json.decode(msgspec.json.encode(value)))


def _check_folders(root: Traversable) -> None:
    kinds = [kind.kind.value for kind, _, _ in _SOURCES]
    found = sorted(path.name for path in root.iterdir()) if root.is_dir() else []
    strange = [name for name in found if name not in kinds and not _is_passed_over(name)]
    if strange:
        folders = ", ".join(kinds)
        raise ValueError(f"{root.name}/{strange[0]} is not read: there are the folders {folders}")


def _is_passed_over(name: str) -> bool:
    return name.startswith((".", "__"))


STARTERS: tuple[Starter, ...] = tuple(definitions_in(resources.files("agent_domain").joinpath("starters")))
"""All of them, by kind and name."""

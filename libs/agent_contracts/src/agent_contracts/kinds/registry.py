"""All kinds of things that an agent has, as their files declare them: every table by kind derives from it."""

from importlib import import_module

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import AnyKind, Declared


def _declared(kind: EntityKind) -> AnyKind:
    module = import_module(f"agent_contracts.kinds.{kind.value}")
    found: AnyKind = getattr(module, kind.name)
    return found


KINDS: Declared = {kind: _declared(kind) for kind in EntityKind}
"""Every kind's declaration: that of `tool` is `TOOL` in `kinds/tool.py`."""

ACTING_KINDS = tuple(kind for kind, one in KINDS.items() if one.acts)
"""The kinds of things that act when their time has come."""
LABELS = {kind.value: one.label for kind, one in KINDS.items() if one.label}
"""By kind, the member of a value that people call a thing by."""
LABELS_OF_IDS = {kind: label for kind, label in LABELS.items() if KINDS[EntityKind(kind)].named == "id"}
"""Those of the things whose name is an id."""


def written_by(source: str) -> tuple[EntityKind, ...]:
    """The kinds that a source may write, in the order of their names."""
    return tuple(sorted(kind for kind, one in KINDS.items() if source in one.writers))

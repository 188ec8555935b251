"""What the families of tools that make definitions have in common: each only says which kind it is of."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from agent_contracts.entities.definitions import D, NamedDefinition
from agent_contracts.kinds.kind import ThingKind
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import Arguments
from tool_runner.definitions.arguments import (
    DefinitionDeletion,
    DefinitionRef,
    DefinitionSwitch,
    DefinitionVersion,
    ListedDefinition,
)

L = TypeVar("L", bound=ListedDefinition)


async def create(kind: ThingKind[D], name: str, value: D, definitions: AgentDefinitions) -> DefinitionVersion:
    """Store a new one."""
    return DefinitionVersion(name=name, version=await definitions.create(kind, name, value))


async def update(
    kind: ThingKind[D], name: str, given: Mapping[str, Any], definitions: AgentDefinitions
) -> DefinitionVersion:
    """Replace these fields, and leave the others."""
    version = await definitions.update(kind, name, lambda found: msgspec.structs.replace(found, **given))
    return DefinitionVersion(name=name, version=version)


def given(args: Arguments) -> dict[str, Any]:
    """The fields that the arguments change, in a form that can be stored."""
    changed: dict[str, Any] = storable(args.model_dump(exclude={"name"}, exclude_none=True))
    return changed


async def delete(
    kind: ThingKind[D], args: DefinitionRef, definitions: AgentDefinitions
) -> DefinitionDeletion:
    """Delete one; it is not an error if there is none."""
    return DefinitionDeletion(deleted=await definitions.delete(kind, args.name))


async def switch(
    kind: ThingKind[D], args: DefinitionRef, enabled: bool, definitions: AgentDefinitions
) -> DefinitionSwitch:
    """Enable or disable one."""
    await update(kind, args.name, {"enabled": enabled}, definitions)
    return DefinitionSwitch(name=args.name, enabled=enabled)


async def read(kind: ThingKind[D], args: DefinitionRef, shape: type[L], definitions: AgentDefinitions) -> L:
    """One of them, as far as `shape` has fields for it."""
    return _shown(await definitions.read(kind, args.name), shape)


async def listed(
    kind: ThingKind[D], shape: type[L], definitions: AgentDefinitions, *, disabled: bool = True
) -> list[L]:
    """All of them by name, as far as `shape` has fields for them; those that are disabled if asked for."""
    return [
        _shown(one, shape)
        for one in await definitions.list(kind)
        if disabled or getattr(one.value, "enabled", True)
    ]


def _shown(found: NamedDefinition[D], shape: type[L]) -> L:
    value = msgspec.to_builtins(found.value)
    fields = {name: value[name] for name in shape.model_fields if name not in _OF_ANY and name in value}
    return shape(name=found.name, version=found.version, **fields)


_OF_ANY = ("name", "version")

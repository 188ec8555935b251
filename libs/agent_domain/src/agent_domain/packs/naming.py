"""What an agent's tools are called, once packs bring names that are taken. Pure.

An earlier pack wins over a later one, any pack over the core tools, and all of them over what the agent made.
Who loses keeps its work and its id, and is offered under another name.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

import msgspec

from agent_contracts.tool_spec import CORE_PACK, RESERVED, Catalogue, RunsOn, ToolSpec

LONGEST_NAME = 64
OWN = "own"
"""What stands before the name of an agent's own tool whose name is another's."""


def named(always: Sequence[ToolSpec], packs: Sequence[Catalogue]) -> tuple[ToolSpec, ...]:
    """The tools that every agent has and those of the packs, in their order, each under a name of its own.

    Those of packs are published by who doesn't run them all: so one always asks where another of its place,
    that every agent has, always does, and it has the sandbox of those.
    """
    names, asking = set(RESERVED), {tool.runs_on for tool in always if tool.always_asks}
    sandboxes = {tool.runs_on: tool.sandbox for tool in always if tool.sandbox}
    brought = [
        _one(_placed(tool, asking, sandboxes), names, pack.pack) for pack in packs for tool in pack.tools
    ]
    kept = [_one(tool, names, CORE_PACK) for tool in always] if packs else always
    return (*kept, *brought)


def own_named(own: Iterable[ToolSpec], taken: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The agent's own tools beside those that are `taken`, each under a name of its own; and under another id
    where its name is that of a core tool."""
    taken = tuple(taken)
    names = {*RESERVED, *(tool.name for tool in taken)}
    ids = {tool.tool for tool in taken}
    return tuple(_one(_told_apart(tool, ids), names, OWN) for tool in own)


def _placed(tool: ToolSpec, asking: Set[RunsOn], sandboxes: Mapping[RunsOn, str]) -> ToolSpec:
    sandbox = sandboxes.get(tool.runs_on, tool.sandbox)
    asks = tool.always_asks or tool.runs_on in asking
    return msgspec.structs.replace(tool, always_asks=asks, sandbox=sandbox)


def _told_apart(tool: ToolSpec, ids: set[str]) -> ToolSpec:
    return msgspec.structs.replace(tool, pack=OWN) if tool.name in ids else tool


def _one(tool: ToolSpec, names: set[str], prefix: str) -> ToolSpec:
    name = _free(tool.name, names, prefix)
    names.add(name)
    return tool if name == tool.name else tool.called(name)


def _free(name: str, names: set[str], prefix: str) -> str:
    if name not in names:
        return name
    wanted = f"{prefix}_{name}"[:LONGEST_NAME]
    number = 2
    while wanted in names:
        wanted = f"{f'{prefix}_{name}'[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
        number += 1
    return wanted

"""Which tools an agent is offered of those that need something of its: a secret, a delegate. Pure."""

from collections.abc import Mapping, Sequence

from agent_contracts.entities.delegates import Delegate
from agent_contracts.tool_spec import ToolSpec
from session_domain.domain.shown.profile import ProfileEntry


def has(delegates: Sequence[Delegate], secrets: Sequence[ProfileEntry]) -> frozenset[str]:
    """What the agent has, as tools say what they need."""
    return frozenset(
        (
            *(["delegate"] if delegates else []),
            *(f"delegate:{one.type}" for one in delegates),
            *(f"secret:{one.name}" for one in secrets),
        )
    )


def offered(tools: tuple[ToolSpec, ...], there: frozenset[str]) -> tuple[ToolSpec, ...]:
    """Those that need nothing else than what is there, and stand in for no other; the same tuple where that
    is all of them."""
    if all(there.issuperset(tool.needs) and tool.stands_in is None for tool in tools):
        return tools
    return tuple(tool for tool in tools if there.issuperset(tool.needs) and tool.stands_in is None)


def stand_ins(tools: tuple[ToolSpec, ...], there: frozenset[str]) -> tuple[ToolSpec, ...]:
    """Those that take over calls of others, of what is there."""
    return tuple(tool for tool in tools if tool.stands_in is not None and there.issuperset(tool.needs))


def lacking(tools: tuple[ToolSpec, ...], there: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """By the names of those that aren't offered for it: what they need and isn't there."""
    return {
        tool.name: tuple(need for need in tool.needs if need not in there)
        for tool in tools
        if tool.stands_in is None and not there.issuperset(tool.needs)
    }

"""What agents made, as a model is told of it: without its source, which is read once, when it changed."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.definitions import NamedDefinition, tool_spec
from agent_contracts.entities.entity import EntityEvent, EntityKind, EntityWritten
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.ids import AgentId
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.tool_spec import ToolSpec
from session_domain.domain.shown.profile import ProfileEntry

AGENTS = 1_000
"""Of how many agents what they made is remembered."""
READ_ANEW_S = 600.0
"""What was purged, or what a replica that lagged behind left out, is put right within this time."""
IN_PROMPT = tuple(kind for kind, one in KINDS.items() if one.in_prompt)
"""What a model is told of by name."""


class MadeThing(msgspec.Struct, frozen=True):
    """One thing that an agent made, as event `written_at` wrote it. `spec`: what a model is offered of a
    tool; `foreign`: of a foreign server, what a person keeps of it, or what it says of its tools."""

    known: ProfileEntry
    enabled: bool = True
    spec: ToolSpec | None = None
    version: int = 0
    written_at: int = 0
    foreign: McpServer | McpTools | None = None


class EntityChanges(Protocol):
    """Where entities of the past come from."""

    async def changes(
        self, agent_id: AgentId, kinds: Sequence[EntityKind], *, after: int, up_to: int
    ) -> Sequence[RecordedEvent[EntityEvent]]:
        """See `Entities.changes`."""
        ...


class _AgentThings(msgspec.Struct, frozen=True):
    """All that one agent had as of any event from `since` to `read_to`. `read_at` is when all was read."""

    told: Mapping[tuple[EntityKind, str], MadeThing]
    since: int
    read_to: int
    read_at: float


_NOTHING = _AgentThings({}, 0, 0, 0.0)


class MadeByAgents:
    """Remembers what it read, and reads what changed since. `now` counts seconds."""

    def __init__(self, entities: EntityChanges, now: Callable[[], float] = time.monotonic) -> None:
        self._entities = entities
        self._now = now
        self._remembered: LRUCache[AgentId, _AgentThings] = LRUCache(AGENTS)

    async def as_of(self, agent_id: AgentId, sequence: int) -> Mapping[EntityKind, Sequence[MadeThing]]:
        """What the agent had after event `sequence`, of each kind by name."""
        made = self._remembered.get(agent_id)
        if made is None or made.since > sequence or self._now() - made.read_at > READ_ANEW_S:
            made = msgspec.structs.replace(_NOTHING, read_at=self._now())
        if made.read_to < sequence:
            changes = await self._entities.changes(agent_id, IN_PROMPT, after=made.read_to, up_to=sequence)
            made = _changed(made, changes, sequence)
            self._remember(agent_id, made)
        in_order = sorted(made.told.items())
        return {kind: [told for (its, _), told in in_order if its is kind] for kind in IN_PROMPT}

    def _remember(self, agent_id: AgentId, made: _AgentThings) -> None:
        before = self._remembered.get(agent_id, _NOTHING)
        if made.read_to >= before.read_to:
            self._remembered[agent_id] = made


def _changed(
    made: _AgentThings, changes: Sequence[RecordedEvent[EntityEvent]], sequence: int
) -> _AgentThings:
    told = dict(made.told)
    for recorded in changes:
        key = (recorded.event.kind, recorded.event.name)
        if isinstance(recorded.event, EntityWritten):
            told[key] = _told(recorded.event, recorded.sequence)
        else:
            told.pop(key, None)
    since = changes[-1].sequence if changes else made.since
    return _AgentThings(told, since, sequence, made.read_at)


def _told(event: EntityWritten, sequence: int) -> MadeThing:
    if event.kind is EntityKind.SECRET:
        return MadeThing(ProfileEntry(event.name))
    value: Any = msgspec.convert(event.value, KINDS[event.kind].shape)
    if isinstance(value, McpServer | McpTools):
        return MadeThing(ProfileEntry(event.name), version=event.version, written_at=sequence, foreign=value)
    return MadeThing(
        ProfileEntry(event.name, value.description, getattr(value, "tags", ()), event.outside),
        enabled=getattr(value, "enabled", True),
        spec=tool_spec(NamedDefinition(event.name, value, event.version))
        if event.kind is EntityKind.TOOL
        else None,
        version=event.version,
        written_at=sequence,
    )

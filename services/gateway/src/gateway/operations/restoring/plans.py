"""What a restore still has to write, read from the log: the same for whoever looks.

It is decided as of the event that says that the agent is restored. What anybody wrote after that event stays.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.entities.restores import (
    RESTORED_KINDS,
    Restored,
    Stays,
    is_secret_setting,
    restored_from,
)
from agent_contracts.files import FileScope
from agent_contracts.log.codec import Recorded
from agent_domain.schedules.times_passed import coming_back
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Delete, Entity, EntityKey, Other, Write, Writer, entity_from
from agent_platform.log.decoding import events
from agent_platform.log.port import Log
from gateway.operations.rewind.agent_changes import AgentChange, same_value
from gateway.operations.rewind.file_changes import can_go_back, file_value, groups, holders_of, paths_back

_MOST_AT_ONCE = 500
"""Messages in one atomic batch; nats-server takes 1,000."""
_BYTES_AT_ONCE = 4 * 1024 * 1024
"""Bytes of values in one batch, but for one value that has more."""


class Begun(msgspec.Struct, frozen=True):
    """A restore that was begun: the entity that says so first, and what it says."""

    entity: Entity

    @property
    def asked(self) -> Restored:
        """What is to go back."""
        return restored_from(self.entity.value)

    @property
    def sequence(self) -> int:
        """The event that began it."""
        return self.entity.sequence

    def write_id(self, subject: str) -> str:
        """The id of its one write there."""
        return f"{self.asked.id}:{sha256(subject.encode()).hexdigest()[:24]}"

    def writer(self, key: EntityKey) -> Writer:
        """Its one write of an entity, in the name of who asked."""
        return Writer(id=self.write_id(key.subject), actor=self.entity.actor, since=self.sequence)


class Plan(msgspec.Struct, frozen=True):
    """What is left to be written, in batches; what went back already, by kind; and what stays."""

    batches: tuple[tuple[Other, ...], ...]
    restored: Counter[str]
    stays: tuple[Stays, ...]


class Plans:
    """Reads them."""

    def __init__(self, log: Log, entities: Entities) -> None:
        self._log = log
        self._entities = entities

    async def of(self, begun: Begun) -> Plan:
        """What is left of one restore."""
        changes, stays = await self._changes(begun)
        agent_id = begun.entity.key.agent_id
        later = await self._entities.changes(
            agent_id, (*RESTORED_KINDS, EntityKind.PATH), after=begun.sequence
        )
        written = {one.subject: one for one in later}
        batches: list[tuple[Other, ...]] = []
        restored: Counter[str] = Counter()
        todo: list[AgentChange] = []
        for one in (one for one in changes if one.key.kind is not EntityKind.FILE):
            if one.key.subject not in written:
                todo.append(one)
            elif await self._is_ours(begun, written[one.key.subject], one.key):
                restored[one.key.kind] += 1
            else:
                stays.append(Stays(one.key.kind, one.key.name, "changed_meanwhile"))
        files = [one for one in changes if one.key.kind is EntityKind.FILE]
        batches += _in_batches([[_other(begun, one)] for one in todo])
        holders = await self._holders(begun, files)
        going = can_go_back(files, holders)
        free = {one.key.name for one in going}
        stays += [Stays("file", one.key.name, "path_taken") for one in files if one.key.name not in free]
        together: list[list[Other]] = []
        for group in groups(going, 1):
            others = [_other(begun, one) for one in group]
            others += [
                Other(
                    place,
                    holders[place],
                    Delete() if value is None else Write(msgspec.to_builtins(value)),
                    begun.writer(place),
                )
                for place, value in paths_back(group, holders).items()
            ]
            touched = [one.key for one in others if one.key.subject in written]
            if not touched:
                together.append(others)
            elif await self._is_ours(begun, written[touched[0].subject], touched[0]):
                restored[EntityKind.FILE] += len(group)
            else:
                stays += [Stays("file", one.key.name, "changed_meanwhile") for one in group]
        batches += _in_batches(together)
        return Plan(tuple(batches), restored, tuple(stays))

    async def _changes(self, begun: Begun) -> tuple[list[AgentChange], list[Stays]]:
        """What was something else at the moment gone back to, as it was and as it was when this began. And
        what stays, since it had another last event by then than the one that is undone."""
        asked, agent_id = begun.asked, begun.entity.key.agent_id
        kinds = [kind for kind in RESTORED_KINDS if _is_wanted(asked, kind)]
        if not kinds:
            return [], []
        found = await self._entities.changes(agent_id, kinds, after=asked.to, up_to=begun.sequence)
        keys = [EntityKey(agent_id, one.event.kind, one.event.name) for one in found]
        wanted = [
            (key, one) for key, one in zip(keys, found, strict=True) if asked.includes(key.kind, key.name)
        ]
        later: list[EntityKey] = []
        if asked.undoes is not None:
            later = [key for key, one in wanted if one.sequence != asked.undoes]
            wanted = [(key, one) for key, one in wanted if one.sequence == asked.undoes]
        stays = [Stays(key.kind, key.name, "changed_meanwhile") for key in later]
        if not wanted:
            return [], stays
        then = await self._entities.all_as_of([key for key, _ in wanted], asked.to)
        began = datetime.fromisoformat(begun.entity.time)
        changes = []
        for (key, recorded), before in zip(wanted, then, strict=True):
            now = entity_from(recorded, agent_id)
            change = AgentChange(key, coming_back(before, now, began), now, touched_by_others=False)
            if not same_value(change.before, now) and _is_the_agents(change):
                changes.append(change)
        return changes, stays

    async def _holders(self, begun: Begun, files: Sequence[AgentChange]) -> Mapping[EntityKey, Entity | None]:
        keys = holders_of(files)
        found = await self._entities.all_as_of(keys, begun.sequence) if keys else ()
        return dict(zip(keys, found, strict=True))

    async def _is_ours(self, begun: Begun, last: Recorded[EntityEvent], key: EntityKey) -> bool:
        """Whether this restore wrote it, whatever came after that."""
        ours = begun.write_id(key.subject)
        if last.envelope.id == ours:
            return True
        later = events(self._log.read(key.subject, after=begun.sequence))
        return any([one.envelope.id == ours async for one in later])


def _is_wanted(asked: Restored, kind: EntityKind) -> bool:
    return asked.chosen is None or any(one.kind == kind for one in asked.chosen)


def _is_the_agents(change: AgentChange) -> bool:
    """False for a file of a session: sessions stay, and so do their files; and for a secret setting."""
    versions = [one for one in (change.before, change.now) if one is not None]
    if change.key.kind is EntityKind.SETTING:
        return not any(is_secret_setting(one.value) for one in versions)
    if change.key.kind is not EntityKind.FILE:
        return True
    return any(file_value(one).scope is FileScope.AGENT for one in versions)


def _other(begun: Begun, change: AgentChange) -> Other:
    back = Delete() if change.before is None else Write(change.before.value, change.before.outside)
    return Other(change.key, change.now, back, begun.writer(change.key))


def _in_batches(groups_of_others: Iterable[Sequence[Other]]) -> list[tuple[Other, ...]]:
    """What belongs together stays together; otherwise so much at once."""
    batches: list[list[Other]] = []
    size = 0
    for group in groups_of_others:
        more = sum(_bytes(one) for one in group)
        if batches and len(batches[-1]) + len(group) <= _MOST_AT_ONCE and size + more <= _BYTES_AT_ONCE:
            batches[-1] += group
            size += more
        else:
            batches.append(list(group))
            size = more
    return [tuple(batch) for batch in batches]


def _bytes(one: Other) -> int:
    return len(msgspec.json.encode(one.change.value)) if isinstance(one.change, Write) else 0

"""What a rewind still has to write, read from the log: the same for whoever looks.

It is decided as of the event that begins the rewind. What anybody wrote after that event stays.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

import msgspec

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.entities.rewinds import NotRewound, Rewind, is_secret_setting, rewind_from
from agent_contracts.files import FileScope
from agent_contracts.kinds.rewound import kinds_of
from agent_contracts.log.record.codec import RecordedEvent
from agent_domain.rewinding.changes import AgentChange, AgentChanges
from agent_domain.rewinding.files import can_go_back, file_value, groups, holders_of, paths_back
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Delete, Entity, EntityKey, EntityWriter, OtherChange, Write
from agent_platform.log.events import events
from agent_platform.log.port import Log

_MOST_AT_ONCE = 500
"""Messages in one atomic batch; nats-server takes 1,000."""
_BYTES_AT_ONCE = 4 * 1024 * 1024
"""Bytes of values in one batch, but for one value that has more."""


class BegunRewind(msgspec.Struct, frozen=True):
    """A rewind that was begun: the version of the entity that says so."""

    entity: Entity

    @property
    def wanted(self) -> Rewind:
        """What is to go back."""
        return rewind_from(self.entity.value)

    @property
    def sequence(self) -> int:
        """The event that began it."""
        return self.entity.sequence

    def write_id(self, subject: str) -> str:
        """The id of its one write there."""
        return f"{self.wanted.id}:{sha256(subject.encode()).hexdigest()[:24]}"

    def writer(self, subject: str) -> EntityWriter:
        """Its one write there, in the name of the person who asked; that of a session's rewind is the
        session's, so that a rewind to before it undoes it."""
        session_id = self.wanted.session_id
        return EntityWriter(self.write_id(subject), self.entity.actor, session_id, since=self.sequence)


class RewindPlan(msgspec.Struct, frozen=True):
    """What is left to be written, in batches; what went back already, by kind; and what stays."""

    batches: tuple[tuple[OtherChange, ...], ...]
    rewound: Counter[str]
    stays: tuple[NotRewound, ...]


class Plans:
    """Reads them."""

    def __init__(self, log: Log, entities: Entities) -> None:
        self._log = log
        self._entities = entities
        self._changes = AgentChanges(log, entities)

    async def of(self, begun: BegunRewind) -> RewindPlan:
        """What is left of one rewind."""
        wanted, agent_id = begun.wanted, begun.entity.key.agent_id
        changes, stays = await self._going(begun)
        later = await self._entities.changes(
            agent_id, (*kinds_of(wanted), EntityKind.PATH), after=begun.sequence
        )
        written = {one.subject: one for one in later}
        batches: list[tuple[OtherChange, ...]] = []
        rewound: Counter[str] = Counter()
        todo: list[AgentChange] = []
        for one in (one for one in changes if one.key.kind is not EntityKind.FILE):
            if one.key.subject not in written:
                todo.append(one)
            elif await self._is_ours(begun, written[one.key.subject], one.key):
                rewound[one.key.kind] += 1
            else:
                stays.append(NotRewound(one.key.kind, one.key.name, "changed_meanwhile"))
        files = [one for one in changes if one.key.kind is EntityKind.FILE]
        batches += _in_batches([[_other(begun, one)] for one in todo])
        holders = await self._holders(begun, files)
        going = can_go_back(files, holders)
        free = {one.key.name for one in going}
        stays += [NotRewound("file", one.key.name, "path_taken") for one in files if one.key.name not in free]
        together: list[list[OtherChange]] = []
        for group in groups(going, 1):
            others = [_other(begun, one) for one in group]
            others += [
                OtherChange(
                    place,
                    holders[place],
                    Delete() if value is None else Write(msgspec.to_builtins(value)),
                    begun.writer(place.subject),
                )
                for place, value in paths_back(group, holders).items()
            ]
            touched = [one.key for one in others if one.key.subject in written]
            if not touched:
                together.append(others)
            elif await self._is_ours(begun, written[touched[0].subject], touched[0]):
                rewound[EntityKind.FILE] += len(group)
            else:
                stays += [NotRewound("file", one.key.name, "changed_meanwhile") for one in group]
        batches += _in_batches(together)
        return RewindPlan(tuple(batches), rewound, tuple(stays))

    async def _going(self, begun: BegunRewind) -> tuple[list[AgentChange], list[NotRewound]]:
        """What was something else at the moment gone back to, as it was and as it was when this began. And
        what stays: others changed it too, or it had another last event by then than the one that is undone.
        """
        wanted = begun.wanted
        began = datetime.fromisoformat(begun.entity.time)
        found = await self._changes.since(begun.entity.key.agent_id, wanted, up_to=begun.sequence, now=began)
        changes: list[AgentChange] = []
        stays: list[NotRewound] = []
        for one in found:
            kind, name = one.key.kind, one.key.name
            if wanted.undoes is not None and one.sequence != wanted.undoes:
                stays.append(NotRewound(kind, name, "changed_meanwhile"))
            elif one.is_undone or not _may_go(wanted, one):
                continue
            elif one.touched_by_others and not wanted.includes_others(kind, name):
                stays.append(NotRewound(kind, name, "changed_by_others"))
            else:
                changes.append(one)
        return changes, stays

    async def _holders(
        self, begun: BegunRewind, files: Sequence[AgentChange]
    ) -> Mapping[EntityKey, Entity | None]:
        keys = holders_of(files)
        found = await self._entities.all_as_of(keys, begun.sequence) if keys else ()
        return dict(zip(keys, found, strict=True))

    async def _is_ours(self, begun: BegunRewind, last: RecordedEvent[EntityEvent], key: EntityKey) -> bool:
        """Whether this rewind wrote it, whatever came after that."""
        ours = begun.write_id(key.subject)
        if last.envelope.id == ours:
            return True
        later = events(self._log.read(key.subject, after=begun.sequence))
        return any([one.envelope.id == ours async for one in later])


def _may_go(wanted: Rewind, change: AgentChange) -> bool:
    """False for a secret setting; and, with a whole agent, for a file of a session: sessions stay, and so do
    their files."""
    versions = [one for one in (change.before, change.now) if one is not None]
    if change.key.kind is EntityKind.SETTING:
        return not any(is_secret_setting(one.value) for one in versions)
    if change.key.kind is not EntityKind.FILE or wanted.session_id is not None:
        return True
    return any(file_value(one).scope is FileScope.AGENT for one in versions)


def _other(begun: BegunRewind, change: AgentChange) -> OtherChange:
    back = Delete() if change.before is None else Write(change.before.value, change.before.outside)
    return OtherChange(change.key, change.now, back, begun.writer(change.key.subject))


def _in_batches(groups_of_others: Iterable[Sequence[OtherChange]]) -> list[tuple[OtherChange, ...]]:
    """What belongs together stays together."""
    batches: list[list[OtherChange]] = []
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


def _bytes(one: OtherChange) -> int:
    return len(msgspec.json.encode(one.change.value)) if isinstance(one.change, Write) else 0

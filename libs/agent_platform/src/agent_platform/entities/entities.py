"""What agents have, read from and written to the log: the last event on an entity's subject is its value."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, decode, event_of
from agent_contracts.log.subjects import entity_filter, everyones_entities, owner_of
from agent_contracts.outside import Sources
from agent_platform.entities.drafts import Drafts, EntityDraft, entity_of
from agent_platform.entities.entity import (
    Change,
    ChangeSet,
    Delete,
    Entity,
    EntityChange,
    EntityKey,
    EntityWriter,
    InitialEntity,
    OtherChange,
    Write,
    entity_from,
)
from agent_platform.entities.room import HasRoom
from agent_platform.log.events import event_at_or_before, events, last_event
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock

_ATTEMPTS = 10
"""How often a change is decided anew because another writer was faster."""


class Entities:
    """Entities over a `Log`. `source` names the service in the events it writes, such as `/one-service`.

    With `room`, changes of one entity (and those together with it) that an agent has no room for are refused.
    """

    def __init__(self, log: Log, clock: Clock, source: str, room: HasRoom | None = None) -> None:
        self.room = room
        self._log = log
        self._drafts = Drafts(source, clock)

    async def current(self, key: EntityKey) -> Entity | None:
        """The entity now, None if there is none (any more): strongly consistent."""
        return entity_of(await last_event(self._log, key.subject), key.agent_id)

    async def as_of(self, key: EntityKey, sequence: int) -> Entity | None:
        """The entity after event `sequence` of the log."""
        return entity_of(await last_event(self._log, key.subject, up_to=sequence), key.agent_id)

    async def all_as_of(self, keys: Sequence[EntityKey], sequence: int | None) -> Sequence[Entity | None]:
        """As `as_of` (None: as `current`) for several entities of one agent, with one request."""
        found = await self._last_events(*(key.subject for key in keys), up_to=sequence)
        by_subject = {recorded.subject: recorded for recorded in found}
        return [entity_of(by_subject.get(key.subject), key.agent_id) for key in keys]

    async def ever_written(self, keys: Sequence[EntityKey]) -> frozenset[EntityKey]:
        """Those of some entities of which anything was ever written, a deletion too; with one request."""
        found = {message.subject for message in await self._log.last_of_each(*(key.subject for key in keys))}
        return frozenset(key for key in keys if key.subject in found)

    async def list(
        self, agent_id: AgentId, kind: EntityKind, *, up_to: int | None = None
    ) -> Sequence[Entity]:
        """All of one kind that the agent has now (or had after event `up_to`), by name."""
        found = await self._last_events(entity_filter(agent_id, kind), up_to=up_to)
        entities = [entity_from(recorded, agent_id) for recorded in found]
        return sorted((one for one in entities if one is not None), key=lambda one: one.key.name)

    async def list_of(
        self, agent_ids: Sequence[AgentId], kind: EntityKind, *, up_to: int | None = None
    ) -> Sequence[Entity]:
        """All of one kind that these agents have now (or had after event `up_to`); with one request."""
        subjects = (entity_filter(agent_id, kind) for agent_id in agent_ids)
        found = await self._last_events(*subjects, up_to=up_to)
        entities = [entity_from(recorded, owner_of(recorded.subject)) for recorded in found]
        return [one for one in entities if one is not None]

    async def changes(
        self, agent_id: AgentId, kinds: Sequence[EntityKind], *, after: int, up_to: int | None = None
    ) -> Sequence[RecordedEvent[EntityEvent]]:
        """The last event, as of event `up_to`, of each entity of these kinds that changed after `after`.

        Deletions included, in order; with one request.
        """
        subjects = (entity_filter(agent_id, kind) for kind in kinds)
        found = await self._last_events(*subjects, after=after, up_to=up_to)
        return sorted(
            (recorded for recorded in found if recorded.sequence > after), key=lambda one: one.sequence
        )

    async def any_written(self, subjects: Sequence[str], *, after: int, up_to: int) -> bool:
        """Whether anything was written to any of these subjects after event `after`, up to `up_to`; with one
        request."""
        return bool(await self._log.last_of_each(*subjects, after=after, up_to=up_to))

    async def list_of_everyone(self, kind: EntityKind) -> Sequence[Entity]:
        """All of one kind that any agent has now, by agent and name."""
        found = await self._last_events(everyones_entities(kind))
        entities = [entity_from(recorded, owner_of(recorded.subject)) for recorded in found]
        present = (one for one in entities if one is not None)
        return sorted(present, key=lambda one: (one.key.agent_id, one.key.name))

    async def _last_events(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> Sequence[RecordedEvent[EntityEvent]]:
        """The last event of each entity that matches, where the last message after `after` may be none."""
        found = [
            await event_at_or_before(self._log, message)
            for message in await self._log.last_of_each(*subjects, after=after, up_to=up_to)
        ]
        return [recorded for recorded in found if recorded is not None]

    async def versions(
        self, key: EntityKey, *, before: int | None = None
    ) -> AsyncGenerator[RecordedEvent[EntityEvent], None]:
        """The entity's events, newest first, deletions included; with `before` (the sequence of one of them),
        those that came before it. `Rejected(kind="not_found")` if `before` is none of them.
        """
        if before is None:
            recorded = await last_event(self._log, key.subject)
        else:
            recorded = event_of(await self._log.get(before))
            if recorded is None or recorded.subject != key.subject:
                raise Rejected(
                    f"Event {before} is not a version of {key.kind} {key.name!r}", kind="not_found"
                )
            recorded = await self._replaced_by(recorded)
        while recorded is not None:
            yield recorded
            recorded = await self._replaced_by(recorded)

    async def _replaced_by(self, recorded: RecordedEvent[EntityEvent]) -> RecordedEvent[EntityEvent] | None:
        """The event before this one; what it names needn't be one, and comes before it in any case."""
        replaced = min(recorded.event.replaced or 0, recorded.sequence - 1)
        return await last_event(self._log, recorded.subject, up_to=replaced) if replaced > 0 else None

    async def history(self, key: EntityKey) -> Sequence[RecordedEvent[EntityEvent]]:
        """Every event of the entity, oldest first, deletions included."""
        return [recorded async for recorded in events(self._log.read(key.subject))]

    async def change(
        self, key: EntityKey, writer: EntityWriter, decide: Callable[[Entity | None], Change]
    ) -> EntityChange:
        """Give the current entity to `decide` and make the change it returns, unless another came first: then
        decide anew. What this very write did in an earlier attempt is returned without asking `decide`.

        What `decide` raises is passed on, nothing written. `Conflict` when others were faster 10 times.
        """

        async def alone(before: Entity | None) -> ChangeSet:
            return ChangeSet(decide(before))

        return await self.change_together(key, writer, alone)

    async def change_together(
        self, key: EntityKey, writer: EntityWriter, decide: Callable[[Entity | None], Awaitable[ChangeSet]]
    ) -> EntityChange:
        """As `change`, where `decide` says as well what becomes of other entities: all or none of it is
        written. It reads those itself; where one of them is no longer as it says, it decides anew.

        What is returned is what became of the entity `key`; an earlier attempt is known by that alone.
        """
        for _ in range(_ATTEMPTS):
            last = await self._log.last(key.subject)
            done = await self._earlier(key, writer, last)
            if done is not None:
                return done
            replaced = await event_at_or_before(self._log, last)
            before = entity_of(replaced, key.agent_id)
            wanted = await decide(before)
            if wanted.change is None or (isinstance(wanted.change, Delete) and before is None):
                return EntityChange(before, before, None)
            draft = self._drafts.of(key, writer, (last, replaced), wanted.change)
            try:
                drafts = [*await self._others(wanted.others), draft]
                async with self._growing(key.agent_id, sum(one.grows for one in drafts)):
                    if not wanted.others:
                        return await self._append(draft)
                    sequence = await self._log.append_together(
                        [one.message for one in drafts], [one.expect for one in drafts]
                    )
                return draft.changed(sequence)
            except Conflict:
                continue
        raise _changed_by_others(key)

    async def change_all(self, changes: Sequence[OtherChange]) -> None:
        """Make all of these changes, or none: `Conflict` where something is no longer as its change says.

        A repeat by the same writers does nothing, as long as their writes are the last.
        """
        drafts = await self._others(changes)
        await self._log.append_together([one.message for one in drafts], [one.expect for one in drafts])

    async def make(self, made: InitialEntity, more: Sequence[InitialEntity]) -> EntityChange:
        """Write an entity where there is none and with it, all or none, those of `more` of which nothing was
        ever written.

        Where the entity is there, nothing is written: what this very write did in an earlier attempt is
        returned, or that nothing changed. `Conflict` as in `change`.
        """

        async def decide(before: Entity | None) -> ChangeSet:
            if before is not None:
                return ChangeSet(None)
            subjects = (one.key.subject for one in more)
            known = {message.subject for message in await self._log.last_of_each(*subjects)}
            new = (one for one in more if one.key.subject not in known)
            return ChangeSet(
                Write(made.value),
                tuple(OtherChange(one.key, None, Write(one.value), one.writer) for one in new),
            )

        return await self.change_together(made.key, made.writer, decide)

    async def written_by(
        self, agent_id: AgentId, kind: EntityKind, writer: EntityWriter
    ) -> EntityChange | None:
        """What this very write did to an entity of a kind in an earlier attempt; None if it is the first, or
        may have been made long ago (a writer without `since`)."""
        if writer.since is None:
            return None
        for message in await self._log.last_of_each(entity_filter(agent_id, kind), after=writer.since):
            recorded = await event_at_or_before(self._log, message)
            if recorded is not None:
                key = EntityKey(agent_id, kind, recorded.event.name)
                done = await self._earlier(key, writer, message)
                if done is not None:
                    return done
        return None

    async def write(  # noqa: PLR0913 — what is written, and on which condition, each named
        self,
        key: EntityKey,
        value: Json,
        writer: EntityWriter,
        *,
        expect: int | None = None,
        skip_equal: bool = False,
        outside: Sources | None = None,
    ) -> EntityChange:
        """Make `value` the entity's value. `outside` as in `Write`.

        With `expect`, only if the entity's current event has that sequence (0: there is no such entity), else
        `Conflict`. With `skip_equal`, an equal value succeeds without making a version.
        """

        def decide(before: Entity | None) -> Change:
            _check(key, before, expect)
            if skip_equal and before is not None and same_json(before.value, value):
                return None
            return Write(value, outside)

        return await self.change(key, writer, decide)

    async def delete(
        self, key: EntityKey, writer: EntityWriter, *, expect: int | None = None
    ) -> EntityChange:
        """Delete the entity; nothing happens if there is none. `expect` as in `write`."""

        def decide(before: Entity | None) -> Change:
            _check(key, before, expect)
            return Delete()

        return await self.change(key, writer, decide)

    async def _others(self, others: Sequence[OtherChange]) -> Sequence[EntityDraft]:
        """What is to be written of them. `Conflict` where one is not what it was any more."""
        if not others:
            return []
        subjects = (one.key.subject for one in others)
        lasts = {message.subject: message for message in await self._log.last_of_each(*subjects)}
        drafts = []
        for one in others:
            last = lasts.get(one.key.subject)
            was = (last, await event_at_or_before(self._log, last))
            draft = self._drafts.of(one.key, one.writer, was, one.change)
            if draft.before != one.before:
                raise Conflict(f"{one.key.kind} {one.key.name!r} was changed by others meanwhile")
            drafts.append(draft)
        return drafts

    def _growing(self, agent_id: AgentId, more: int) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self.room is None else self.room.growing(agent_id, more)

    async def _append(self, draft: EntityDraft) -> EntityChange:
        sequence = await self._log.append(draft.message, draft.expect)
        if sequence <= draft.expect.last_sequence:
            return await self._done(draft.key, await self._log.get(sequence))
        return draft.changed(sequence)

    async def _earlier(
        self, key: EntityKey, writer: EntityWriter, last: StoredMessage | None
    ) -> EntityChange | None:
        """What this write did in an earlier attempt, None if it is the first."""
        if last is None:
            return None
        if _written_by(last, writer):
            return await self._done(key, last)
        if writer.since is not None and last.sequence > writer.since:
            async for message in self._log.read(key.subject, after=writer.since, up_to=last.sequence):
                if _written_by(message, writer):
                    return await self._done(key, message)
        return None

    async def _done(self, key: EntityKey, message: StoredMessage | None) -> EntityChange:
        if message is None or message.subject != key.subject:
            raise Permanent(
                f"This write was made before, to {message.subject if message else 'a purged entity'}: "
                "a repeated call must write in the same order",
                kind="write_id_reused",
            )
        recorded = decode(message)
        before = entity_of(await self._replaced_by(recorded), key.agent_id)
        return EntityChange(before, entity_from(recorded, key.agent_id), message.sequence, repeated=True)


def _changed_by_others(key: EntityKey) -> Conflict:
    return Conflict(f"{key.kind} {key.name!r} was changed by others {_ATTEMPTS} times meanwhile")


def _check(key: EntityKey, before: Entity | None, expect: int | None) -> None:
    found = before.sequence if before else 0
    if expect is not None and found != expect:
        raise Conflict(f"{key.kind} {key.name!r}: expected event {expect}, it is {found} now")


def _written_by(message: StoredMessage, writer: EntityWriter) -> bool:
    return message.event_id == writer.id and event_of(message) is not None

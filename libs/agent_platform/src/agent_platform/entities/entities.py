"""What agents have, read from and written to the log: the last event on an entity's subject is its value."""

from collections.abc import AsyncGenerator, Callable, Sequence

import msgspec

from agent_contracts.codec import Recorded
from agent_contracts.entities import EntityDeleted, EntityEvent, EntityKind, EntityWritten
from agent_contracts.envelope import REQUEST_DIGEST, Envelope
from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.subjects import entity_filter, everyones_entities, owner_of
from agent_platform.entities.entity import (
    Change,
    Changed,
    Delete,
    Entity,
    EntityKey,
    First,
    Write,
    Writer,
    entity_from,
)
from agent_platform.log.decoding import decode
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Expect, Log, NewMessage, StoredMessage
from agent_platform.process.clock import Clock

_ATTEMPTS = 10
"""How often a change is decided anew because another writer was faster."""


class Entities:
    """Entities over a `Log`. `source` names the service in the events it writes, such as `/one-service`."""

    def __init__(self, log: Log, clock: Clock, source: str) -> None:
        self._log = log
        self._clock = clock
        self._source = source

    async def current(self, key: EntityKey) -> Entity | None:
        """The entity now, None if there is none (any more): strongly consistent."""
        last = await self._log.last(key.subject)
        return entity_from(decode(last), key.agent_id) if last else None

    async def as_of(self, key: EntityKey, sequence: int) -> Entity | None:
        """The entity after event `sequence` of the log."""
        found = await self._log.last_of_each(key.subject, up_to=sequence)
        return entity_from(decode(found[0]), key.agent_id) if found else None

    async def all_as_of(self, keys: Sequence[EntityKey], sequence: int) -> Sequence[Entity | None]:
        """As `as_of` for several entities of one agent, with one request."""
        found = {
            message.subject: message
            for message in await self._log.last_of_each(*(key.subject for key in keys), up_to=sequence)
        }
        stored = [(key, found.get(key.subject)) for key in keys]
        return [entity_from(decode(message), key.agent_id) if message else None for key, message in stored]

    async def list(
        self, agent_id: AgentId, kind: EntityKind, *, up_to: int | None = None
    ) -> Sequence[Entity]:
        """All of one kind that the agent has now (or had after event `up_to`), by name."""
        found = await self._log.last_of_each(entity_filter(agent_id, kind), up_to=up_to)
        entities = [entity_from(decode(message), agent_id) for message in found]
        return sorted((one for one in entities if one is not None), key=lambda one: one.key.name)

    async def changes(
        self, agent_id: AgentId, kinds: Sequence[EntityKind], *, after: int, up_to: int
    ) -> Sequence[Recorded[EntityEvent]]:
        """The last event, as of event `up_to`, of each entity of these kinds that changed after `after`.

        Deletions included, in order; with one request.
        """
        subjects = (entity_filter(agent_id, kind) for kind in kinds)
        found = await self._log.last_of_each(*subjects, after=after, up_to=up_to)
        return [decode(message) for message in found]

    async def list_of_everyone(self, kind: EntityKind) -> Sequence[Entity]:
        """All of one kind that any agent has now, by agent and name."""
        found = await self._log.last_of_each(everyones_entities(kind))
        entities = [entity_from(decode(message), owner_of(message.subject)) for message in found]
        present = (one for one in entities if one is not None)
        return sorted(present, key=lambda one: (one.key.agent_id, one.key.name))

    async def versions(
        self, key: EntityKey, *, before: int | None = None
    ) -> AsyncGenerator[Recorded[EntityEvent], None]:
        """The entity's events, newest first, deletions included; with `before` (the sequence of one of them),
        those that came before it. `Rejected(kind="not_found")` if `before` is none of them.
        """
        if before is None:
            message = await self._log.last(key.subject)
        else:
            message = await self._log.get(before)
            if message is None or message.subject != key.subject:
                raise Rejected(
                    f"event {before} is not a version of {key.kind} {key.name!r}", kind="not_found"
                )
            message = await self._replaced_by(decode(message))
        while message is not None:
            recorded = decode(message)
            yield recorded
            message = await self._replaced_by(recorded)

    async def _replaced_by(self, recorded: Recorded[EntityEvent]) -> StoredMessage | None:
        return await self._log.get(recorded.event.replaced) if recorded.event.replaced else None

    async def history(self, key: EntityKey) -> Sequence[Recorded[EntityEvent]]:
        """Every event of the entity, oldest first, deletions included."""
        return [decode(message) async for message in self._log.read(key.subject)]

    async def change(
        self, key: EntityKey, writer: Writer, decide: Callable[[Entity | None], Change]
    ) -> Changed:
        """Give the current entity to `decide` and make the change it returns, unless another came first: then
        decide anew. What this very write did in an earlier attempt is returned without asking `decide`.

        What `decide` raises is passed on, nothing written. `Conflict` when others were faster 10 times.
        """
        for _ in range(_ATTEMPTS):
            last = await self._log.last(key.subject)
            done = await self._earlier(key, writer, last)
            if done is not None:
                return done
            before = entity_from(decode(last), key.agent_id) if last else None
            change = decide(before)
            if change is None or (isinstance(change, Delete) and before is None):
                return Changed(before, before, None)
            try:
                return await self._append(key, writer, last, change)
            except Conflict:
                continue
        raise _changed_by_others(key)

    async def make(self, made: First, more: Sequence[First]) -> Changed:
        """Write an entity where there is none and with it, all or none, those of `more` of which nothing was
        ever written.

        Where the entity is there, nothing is written: what this very write did in an earlier attempt is
        returned, or that nothing changed. `Conflict` as in `change`.
        """
        key = made.key
        for _ in range(_ATTEMPTS):
            last = await self._log.last(key.subject)
            done = await self._earlier(key, made.writer, last)
            if done is not None:
                return done
            draft = self._drafted(key, made.writer, last, Write(made.value))
            if draft.before is not None:
                return Changed(draft.before, draft.before, None)
            known = {
                message.subject
                for message in await self._log.last_of_each(*(one.key.subject for one in more))
            }
            new = [one for one in more if one.key.subject not in known]
            drafts = [*(self._drafted(one.key, one.writer, None, Write(one.value)) for one in new), draft]
            try:
                sequence = await self._log.append_together(
                    [one.message for one in drafts], [one.expect for one in drafts]
                )
            except Conflict:
                continue
            return draft.changed(sequence)
        raise _changed_by_others(key)

    async def write(
        self,
        key: EntityKey,
        value: Json,
        writer: Writer,
        *,
        expect: int | None = None,
        skip_equal: bool = False,
    ) -> Changed:
        """Make `value` the entity's value.

        With `expect`, only if the entity's current event has that sequence (0: there is no such entity), else
        `Conflict`. With `skip_equal`, an equal value succeeds without making a version.
        """

        def decide(before: Entity | None) -> Change:
            _check(key, before, expect)
            if skip_equal and before is not None and same_json(before.value, value):
                return None
            return Write(value)

        return await self.change(key, writer, decide)

    async def delete(self, key: EntityKey, writer: Writer, *, expect: int | None = None) -> Changed:
        """Delete the entity; nothing happens if there is none. `expect` as in `write`."""

        def decide(before: Entity | None) -> Change:
            _check(key, before, expect)
            return Delete()

        return await self.change(key, writer, decide)

    async def _append(
        self, key: EntityKey, writer: Writer, last: StoredMessage | None, change: Write | Delete
    ) -> Changed:
        draft = self._drafted(key, writer, last, change)
        sequence = await self._log.append(draft.message, draft.expect)
        if sequence <= draft.expect.last_sequence:
            return await self._done(key, await self._log.get(sequence))
        return draft.changed(sequence)

    def _drafted(
        self, key: EntityKey, writer: Writer, last: StoredMessage | None, change: Write | Delete
    ) -> "_Draft":
        before = entity_from(decode(last), key.agent_id) if last else None
        replaced = last.sequence if last else 0
        event = _event(key, writer, before, change, replaced or None)
        origin = Origin(self._source, writer.actor, writer.since or None, traceparent=writer.traceparent)
        about = f"{key.agent_id}/{key.kind.value}/{key.name}"
        message, envelope = event_message(event, key.subject, about, origin, self._clock, writer.id)
        if writer.request is not None:
            headers = {**message.headers, REQUEST_DIGEST: writer.request}
            message = msgspec.structs.replace(message, headers=headers)
        return _Draft(key, before, event, message, envelope, Expect(key.subject, replaced))

    async def _earlier(self, key: EntityKey, writer: Writer, last: StoredMessage | None) -> Changed | None:
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

    async def _done(self, key: EntityKey, message: StoredMessage | None) -> Changed:
        if message is None or message.subject != key.subject:
            raise Permanent(
                f"this write was made before, to {message.subject if message else 'a purged entity'}: "
                "a repeated call must write in the same order",
                kind="write_id_reused",
            )
        recorded = decode(message)
        replaced = await self._log.get(recorded.event.replaced) if recorded.event.replaced else None
        before = entity_from(decode(replaced), key.agent_id) if replaced else None
        return Changed(before, entity_from(recorded, key.agent_id), message.sequence, repeated=True)


class _Draft(msgspec.Struct, frozen=True):
    """A change that is to be appended."""

    key: EntityKey
    before: Entity | None
    event: EntityEvent
    message: NewMessage
    envelope: Envelope
    expect: Expect

    def changed(self, sequence: int) -> Changed:
        """What it is once it was appended."""
        recorded: Recorded[EntityEvent] = Recorded(sequence, self.key.subject, self.envelope, self.event)
        return Changed(self.before, entity_from(recorded, self.key.agent_id), sequence)


def _changed_by_others(key: EntityKey) -> Conflict:
    return Conflict(f"{key.kind} {key.name!r} was changed by others {_ATTEMPTS} times meanwhile")


def _event(
    key: EntityKey, writer: Writer, before: Entity | None, change: Write | Delete, replaced: int | None
) -> EntityEvent:
    if isinstance(change, Delete):
        return EntityDeleted(key.kind, key.name, writer.session_id, writer.call_id, replaced)
    version = before.version + 1 if before else 1
    return EntityWritten(
        key.kind, key.name, change.value, version, writer.session_id, writer.call_id, replaced
    )


def _check(key: EntityKey, before: Entity | None, expect: int | None) -> None:
    found = before.sequence if before else 0
    if expect is not None and found != expect:
        raise Conflict(f"{key.kind} {key.name!r}: expected event {expect}, it is {found} now")


def _written_by(message: StoredMessage, writer: Writer) -> bool:
    return message.headers.get("ce-id") == writer.id

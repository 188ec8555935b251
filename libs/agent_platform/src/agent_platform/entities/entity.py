"""One thing an agent has, who changes it, and how."""

from typing import Self

import msgspec

from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind, EntityWritten
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.subjects import entity_subject
from agent_contracts.outside import Sources, placed


class EntityKey(msgspec.Struct, frozen=True):
    """Which entity: the agent's, of a kind, by its real name (any text)."""

    agent_id: AgentId
    kind: EntityKind
    name: str

    @property
    def subject(self) -> str:
        """Where it lives in the log. `Rejected` for a name that is not Unicode text."""
        try:
            return entity_subject(self.agent_id, self.kind, self.name)
        except UnicodeEncodeError as error:
            raise Rejected(f"The name of a {self.kind} has a lone surrogate", kind="bad_text") from error


class Entity(msgspec.Struct, frozen=True):
    """An entity's value at one version. `sequence` is the event that wrote it, `time` when (RFC 3339),
    `outside` where material came from that its writer had.
    """

    key: EntityKey
    value: Json
    version: int
    sequence: int
    time: str
    actor: Actor
    session_id: SessionId | None = None
    call_id: CallId | None = None
    replaced: int | None = None
    outside: Sources = ()


class EntityWriter(msgspec.Struct, frozen=True):
    """Who changes an entity, in which single write: a repeat with the same `id` happens once.

    `since` is a sequence that every write of this writer comes after (a call's request); with it, a repeat is
    recognised however late, without it for an hour or as long as the write is the entity's last. `request` is
    the digest of the request that asks for the write under an idempotency key; it is kept with the event.
    `outside` is where material came from that the writer has: so what it writes may be from there.
    """

    id: str
    actor: Actor
    session_id: SessionId | None = None
    call_id: CallId | None = None
    since: int | None = None
    traceparent: str | None = None
    request: str | None = None
    outside: Sources = ()

    @classmethod
    def call(
        cls, session_id: SessionId, call_id: CallId, n: int, *, since: int, traceparent: str | None = None
    ) -> Self:
        """The `n`-th write of a tool call whose request is event `since`."""
        return cls(f"{session_id}:{call_id}:{n}", Actor.AGENT, session_id, call_id, since, traceparent)

    def having(self, outside: Sources) -> Self:
        """The same, who has material from there."""
        return msgspec.structs.replace(self, outside=outside) if outside else self

    def beside(self, what: str) -> Self:
        """The same for another entity that is written together with that of this write."""
        return msgspec.structs.replace(self, id=f"{self.id}:{what}")

    @classmethod
    def user(cls, id: str) -> Self:
        """A person's edit; `id` is new for each edit, the same for its repeats."""
        return cls(id, Actor.USER)


class InitialEntity(msgspec.Struct, frozen=True):
    """What an entity is to be at first, and who writes it."""

    key: EntityKey
    value: Json
    writer: EntityWriter


class Write(msgspec.Struct, frozen=True):
    """A change: this is the value now. `outside` is where that came from which it was made of; None: where
    the value before came from, unless a person writes, who has it before their eyes.
    """

    value: Json
    outside: Sources | None = None


class Delete(msgspec.Struct, frozen=True):
    """A change: the entity is gone."""


Change = Write | Delete | None
"""What is to become of an entity; None leaves it as it is, without an event."""


class OtherChange(msgspec.Struct, frozen=True):
    """What becomes of another entity together with the one that is changed, only if it still is `before`."""

    key: EntityKey
    before: Entity | None
    change: Write | Delete
    writer: EntityWriter


class ChangeSet(msgspec.Struct, frozen=True):
    """What is to become of an entity, and of others together with it; the others stay where it stays."""

    change: Change
    others: tuple[OtherChange, ...] = ()


class EntityChange(msgspec.Struct, frozen=True):
    """What came of a change: the entity before and after, None where it doesn't exist.

    `sequence` is the event that made the change, None if nothing changed; `repeated` says that an earlier
    attempt of the same writer made it. `before` of a repeated one is what it replaced.
    """

    before: Entity | None
    after: Entity | None
    sequence: int | None
    repeated: bool = False


def entity_from(recorded: RecordedEvent[EntityEvent], agent_id: AgentId) -> Entity | None:
    """The entity that an event left, None if it deleted it."""
    match recorded.event:
        case EntityDeleted():
            return None
        case EntityWritten() as event:
            return Entity(
                key=EntityKey(agent_id, event.kind, event.name),
                value=event.value,
                version=event.version,
                sequence=recorded.sequence,
                time=recorded.envelope.time,
                actor=recorded.envelope.actor,
                session_id=event.session_id,
                call_id=event.call_id,
                replaced=event.replaced,
                outside=placed(event.outside, str(recorded.sequence), event.session_id),
            )

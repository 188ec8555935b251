"""Rewinds of what agents have. One event begins a rewind; the rest follows from it, whoever writes it."""

import asyncio
import contextlib
from collections.abc import Callable

import msgspec
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import DATABASE, NotRewound, Rewind, rewind_from, rewind_name
from agent_contracts.errors import Conflict, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import database_subject, owner_of
from agent_contracts.session_events.decisions import Rewound
from agent_domain.rewinding.database import DatabaseBack, DatabaseLog
from agent_domain.rewinding.of_sessions import rewind_of
from agent_domain.rewinding.plan import BegunRewind, Plans
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write, entity_from
from agent_platform.log.port import Log
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.consumer import Delivery

log = structlog.get_logger()

_ATTEMPTS = 100
_MOST_STAYING = 200
"""At most so many of the things that stay are named."""


class UnfinishedRewind(Conflict):
    """Another rewind of the agent has begun and isn't done."""

    def __init__(self, begun: BegunRewind) -> None:
        super().__init__("Another rewind of the agent is not done yet")
        self.begun = begun


def rewind_key(agent_id: AgentId) -> EntityKey:
    """The entity whose versions are the agent's rewinds."""
    return EntityKey(agent_id, EntityKind.REWIND, rewind_name(agent_id))


def begins(wanted: Rewind) -> Callable[[Entity | None], Change]:
    """What begins a rewind, for `Entities.change`. It raises `UnfinishedRewind` while another isn't done."""

    def decide(before: Entity | None) -> Change:
        if before is not None and not rewind_from(before.value).done:
            raise UnfinishedRewind(BegunRewind(before))
        return Write(msgspec.to_builtins(wanted))

    return decide


class Rewinds:
    """Begins rewinds and completes them, also those that somebody else began."""

    def __init__(self, log: Log, entities: Entities, database: DatabaseLog) -> None:
        self._log = log
        self._entities = entities
        self._database = database
        self._plans = Plans(log, entities)

    async def begin(self, agent_id: AgentId, wanted: Rewind, writer: EntityWriter) -> None:
        """Begin a rewind, after completing one that isn't done. A repeat of the same writer does nothing."""
        for _ in range(_ATTEMPTS):
            try:
                await self._entities.change(rewind_key(agent_id), writer, begins(wanted))
            except UnfinishedRewind as other:
                await self.complete(other.begun)
            else:
                return
        raise Transient(f"{agent_id} is being rewound again and again")

    async def complete(self, begun: BegunRewind) -> None:
        """Write what is left of a rewind, and that it is done; nothing if somebody did that before."""
        for _ in range(_ATTEMPTS):
            current = await self._entities.current(begun.entity.key)
            if current is None or current.sequence != begun.sequence:
                return  # the next version says that it is done
            # On a conflict somebody wrote meanwhile, and that stays; or completes it too.
            with contextlib.suppress(Conflict):
                await self._complete(begun)
        raise Transient("The agent is being changed again and again; its rewind resumes automatically")

    async def follow(self, session: SessionKey, sequence: int, rewound: Rewound) -> None:
        """Begin what a session's decision (event `sequence`) means for its agent. Harmless when repeated."""
        wanted = rewind_of(session.session_id, sequence, rewound)
        if wanted is not None:
            writer = EntityWriter(f"{wanted.id}:begun", Actor.USER, session.session_id, since=sequence)
            await self.begin(session.agent_id, wanted, writer)

    async def handle(self, delivery: Delivery) -> None:
        """A version of an agent's rewind: complete what it begins."""
        await self.resume(delivery.message)

    async def resume(self, message: StoredMessage) -> None:
        """Complete the rewind that this message begins, if it does."""
        recorded = event_of(message)
        entity = entity_from(recorded, owner_of(recorded.subject)) if recorded is not None else None
        if entity is not None and not rewind_from(entity.value).done:
            await stop_point("rewind.received")
            await self.complete(BegunRewind(entity))
            log.info("rewind.completed", agent_id=entity.key.agent_id, sequence=entity.sequence)

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """A rewind that can't be completed, as one that can't be read."""
        log.error("rewind.given_up", sequence=message.sequence, reason=reason)

    async def _complete(self, begun: BegunRewind) -> None:
        plan = await self._plans.of(begun)
        for batch in plan.batches:
            await self._entities.change_all(batch)
            await stop_point("rewind.batch")
        if plan.batches:
            return  # what came of them is read from the log
        rewound, stays = plan.rewound, [*plan.stays]
        wanted = begun.wanted
        if wanted.includes(DATABASE, DATABASE):
            back = await self._database_back(begun)
            rewound[DATABASE] += back.sequence is not None
            why = back.stays
            if why is None and back.sequence is None and wanted.undoes is not None:
                why = "changed_meanwhile"
            if why is not None:
                stays.append(NotRewound(DATABASE, DATABASE, why))
        await stop_point("rewind.written")
        done = msgspec.structs.replace(
            wanted, done=True, rewound=dict(+rewound), stays=tuple(stays[:_MOST_STAYING])
        )
        writer = EntityWriter(f"{done.id}:done", begun.entity.actor, since=begun.sequence)
        value = msgspec.to_builtins(done)
        await self._entities.write(begun.entity.key, value, writer, expect=begun.sequence)

    async def _database_back(self, begun: BegunRewind) -> DatabaseBack:
        agent_id, wanted = begun.entity.key.agent_id, begun.wanted
        writer = begun.writer(database_subject(agent_id))
        up_to = begun.sequence if wanted.undoes is None else wanted.undoes
        return await self._database.go_back(agent_id, wanted, writer, up_to=up_to)


async def rewind_done(
    log: Log, agent_id: AgentId, rewind_id: str, *, after: int, patience_s: float
) -> Rewind:
    """Wait until the rewind that begins after event `after` is done, and return what came of it.

    `Transient` if that takes longer than `patience_s`: it resumes automatically, whoever waits.
    """
    key = rewind_key(agent_id)
    try:
        async with (
            asyncio.timeout(patience_s),
            contextlib.aclosing(log.tail((key.subject,), after=after)) as versions,
        ):
            async for message in versions:
                recorded = event_of(message)
                found = entity_from(recorded, agent_id) if recorded is not None else None
                said = rewind_from(found.value) if found is not None else None
                if said is not None and said.id == rewind_id and said.done:
                    return said
    except TimeoutError as late:
        raise Transient(
            "The rewind has begun and is not done yet. It finishes automatically, even if nobody waits for it"
        ) from late
    raise Transient("The log was closed before the rewind was done; it resumes automatically")

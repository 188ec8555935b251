"""Erasing a session or an agent: everything of it, everywhere, recorded by one event each.

The event comes first. From then on the gateway answers 410, and whoever finds the erasure unfinished can run
it again: each step leaves what is gone already alone.
"""

import asyncio
from collections.abc import Iterable
from functools import partial

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Transient
from agent_contracts.event_sources import OPERATOR, Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.kinds.registry import ACTING_KINDS
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import (
    BUDGETS_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    all_times_of,
    database_snapshots_key,
    scheduled_due_subject,
    scheduled_timer_subject,
)
from agent_contracts.session_events.decisions import Completed, Failed
from agent_contracts.session_events.inputs import Archived, Created, Reopened
from agent_domain.budgets.budgets import Budgets
from agent_domain.budgets.pace import pace_key
from agent_domain.erasing import blobs
from agent_domain.erasing.pack_texts import texts_of_packs
from agent_domain.erasing.progress import forget_everywhere
from agent_domain.erasing.reminders import reminders_of
from agent_domain.erasing.scope import Scope
from agent_domain.erasing.workspaces import subjects_of_files
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write
from agent_platform.log.bucket import bucket
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.overwriting import MOST_OVERWRITTEN, write_anew
from agent_platform.log.quotas.room import kept_key
from agent_platform.log.sealing.removing import erase as erase_from_log
from agent_platform.log.sealing.removing import remove_outlived
from agent_platform.log.sealing.stores import forget_keys
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.dead_letter import DeadLetterStore

_STOPS_WITHIN_S = 20.0
_LOOK_S = 0.1
_SETTLES_S = 1.0
_ROUNDS = 5
_STOPPED_AT_ONCE = 16


class ErasureReport(msgspec.Struct, frozen=True):
    """What was taken out: messages of the log, blobs, timers, dead letters. `left`: which services may still
    hold something of it, and why."""

    sessions: tuple[str, ...]
    events: int
    blobs: int
    timers: int
    letters: int
    left: tuple[str, ...] = ()


class LogEraser:
    """Works over a connection as NATS' user `admin`."""

    def __init__(self, admin: NatsConnection, clock: Clock, source: str = OPERATOR) -> None:
        self._admin = admin
        self._clock = clock
        self._source = source
        self._log = JetStreamLog(admin)
        self._entities = Entities(self._log, clock, source)

    async def erase(self, scope: Scope, reason: str) -> ErasureReport:
        """Record it, stop what runs, and take everything out; the tables are not touched.

        `Transient` if a session doesn't stop: then it is recorded, and nothing was taken out yet.
        """
        await self.mark(scope, reason)
        await stop_point("erase.marked")
        await self.stop(scope.sessions)
        erased = await self.take_out(scope)
        await self.done(scope.agent_id, scope.name)
        return erased

    async def mark(self, scope: Scope, reason: str = "") -> None:
        """One event for what was named, which says all; one more for each session, so that it is known."""
        erasure = Erasure(
            what="agent" if scope.whole_agent else "session",
            named=scope.name,
            sessions=tuple(one.session_id for one in scope.sessions),
            reason=reason,
            at=rfc3339(self._clock.now()),
            by="retention" if scope.outlived else "administrator",
        )
        for name in dict.fromkeys([scope.name, *erasure.sessions]):
            key = EntityKey(scope.agent_id, EntityKind.ERASED, name)
            writer = EntityWriter(f"erased:{name}:{scope.name}:{len(erasure.sessions)}", Actor.USER, since=0)
            await self._entities.change(key, writer, partial(_marked, erasure, name))

    async def done(self, agent_id: AgentId, name: str) -> None:
        """Record that nothing is left of what was named."""
        now = rfc3339(self._clock.now())

        def done(before: Entity | None) -> Change:
            if before is None:
                return None
            known = msgspec.convert(before.value, Erasure)
            if known.done_at is not None:
                return None
            ended = msgspec.structs.replace(known, done_at=now)
            if known.what == "runs":
                ended = msgspec.structs.replace(ended, sessions=(), records=(), count=len(known.sessions))
            return Write(msgspec.to_builtins(ended))

        key = EntityKey(agent_id, EntityKind.ERASED, name)
        await self._entities.change(key, EntityWriter(f"erased:{name}:done", Actor.USER, since=0), done)

    async def stop(self, sessions: Iterable[SessionKey]) -> None:
        """Archive them, and wait for their end: nobody decides anything more in them then. `Transient` if one
        doesn't end."""
        places = asyncio.Semaphore(_STOPPED_AT_ONCE)

        async def stop(session: SessionKey) -> None:
            async with places:
                await self._stop(session)

        await asyncio.gather(*map(stop, sessions))

    async def whole(self, scope: Scope) -> Scope:
        """The scope with the subjects of what is its sessions' in the agent, as the log is now."""
        if scope.whole_agent:
            return scope
        ids = [one.session_id for one in scope.sessions]
        files = await subjects_of_files(self._log, scope.agent_id, ids)
        reminders = await reminders_of(self._log, scope.agent_id, ids)
        texts = await texts_of_packs(self._log, scope.agent_id, ids)
        return msgspec.structs.replace(
            scope,
            theirs=scope.theirs | files | reminders.keys() | texts,
            reminders=scope.reminders | set(reminders.values()),
        )

    async def take_out(self, scope: Scope) -> ErasureReport:
        """Everything of sessions that have ended, and of the agent if it is of one."""
        events = 0
        removal = blobs.BlobRemoval(self._admin, scope.agent_id)
        for number in range(_ROUNDS):
            since = await self._log.last_sequence()
            scope = await self.whole(scope)
            await removal.mark(await blobs.only_named_by(self._admin, self._log, scope), since)
            await stop_point("erase.blobs_marked")
            taken = await self._from_log(scope)
            events += taken
            await stop_point("erase.purged")
            if number and not taken:
                break
            await asyncio.sleep(_SETTLES_S)  # what was under way still writes, for a moment
        timers = await self._timers(scope.sessions) + await self._set_times(scope)
        for one in scope.sessions:
            await blobs.purge(
                self._admin, f"KV_{SNAPSHOTS_BUCKET}", f"$KV.{SNAPSHOTS_BUCKET}.{one.session_id}.>"
            )
        if scope.whole_agent:
            snapshots = f"$KV.{SNAPSHOTS_BUCKET}.{database_snapshots_key(scope.agent_id)}"
            await blobs.purge(self._admin, f"KV_{SNAPSHOTS_BUCKET}", snapshots)
            quota = f"$KV.{QUOTAS_BUCKET}.{scope.agent_id}"
            await blobs.purge(self._admin, f"KV_{QUOTAS_BUCKET}", quota)
            writing = f"$KV.{QUOTAS_BUCKET}.{kept_key(scope.agent_id)}"
            await blobs.purge(self._admin, f"KV_{QUOTAS_BUCKET}", writing)
            await Budgets(bucket(self._admin, BUDGETS_BUCKET), self._clock).forget(scope.agent_id)
            await self._purge_noted(BUDGETS_BUCKET, pace_key(scope.agent_id))
            for kept in (SECRETS_BUCKET, SITE_LOGINS_BUCKET):
                await self._purge_noted(kept, f"{scope.agent_id}.>")
        letters = await self._letters(scope)
        names = list(dict.fromkeys([scope.name, *(one.session_id for one in scope.sessions)]))
        left = await forget_everywhere(self._admin, names)
        await asyncio.sleep(_SETTLES_S)  # who stored the same bytes before it forgot that names them now
        removed = await removal.finish(self._log, scope)
        sessions = tuple(one.session_id for one in scope.sessions)
        if scope.outlived:
            return ErasureReport(sessions, events, removed, timers, letters, tuple(left))
        if events > MOST_OVERWRITTEN:
            left.append(f"NATS keeps bytes of the {events} events until it writes their blocks anew")
        await write_anew(self._admin, SNAPSHOTS_BUCKET)
        return ErasureReport(sessions, events, removed, timers, letters, tuple(left))

    async def _from_log(self, scope: Scope) -> int:
        if scope.outlived:
            why = "kept as long as settings say"
            return await remove_outlived(self._admin, scope.of_the_log, scope.records, why)
        return await erase_from_log(self._admin, scope.of_the_log, f"erased: {scope.name}")

    async def _purge_noted(self, name: str, keys: str) -> None:
        """Take keys out of a bucket without their absence looking like a loss, also to one who wrote down in
        between that they were there."""
        for _ in range(2):
            await forget_keys(self._admin, name, keys.removesuffix(".>"))
            await blobs.purge(self._admin, f"KV_{name}", f"$KV.{name}.{keys}")

    async def _stop(self, session: SessionKey) -> None:
        async def ended() -> bool:
            if await self._log.last(session.decision(type_of(Failed))) is not None:
                return True
            completed = await self._log.last(session.decision(type_of(Completed)))
            reopened = await self._log.last(session.input(type_of(Reopened)))
            return completed is not None and (reopened is None or reopened.sequence < completed.sequence)

        if await self._log.last(session.input(type_of(Created))) is None or await ended():
            return
        event = Archived()
        subject = session.input(type_of(event))
        origin = Origin(self._source, Actor.USER)
        event_id = f"erase:{session.session_id}"
        message, _ = event_message(event, subject, origin, self._clock, event_id)
        await self._log.append(message)
        for _ in range(round(_STOPS_WITHIN_S / _LOOK_S)):
            if await ended():
                return
            await asyncio.sleep(_LOOK_S)
        raise Transient(
            f"Session {session.session_id} doesn't stop: is an engine running? Nothing was taken out yet; "
            "try again"
        )

    async def _timers(self, sessions: Iterable[SessionKey]) -> int:
        log, names = JetStreamLog(self._admin, stream=TIMER_STREAM), set[str]()
        ids = {one.session_id for one in sessions}
        for subject in ("timer.*", "due.*"):
            async for message in log.read(subject):
                if SessionId(message.subject.partition(".")[2].partition("~")[0]) in ids:
                    names.add(message.subject)
        return sum([await blobs.purge(self._admin, TIMER_STREAM, name) for name in names])

    async def _set_times(self, scope: Scope) -> int:
        """Of a whole agent, everything that waits for a time; else these reminders."""
        subjects = list(all_times_of(scope.agent_id, ACTING_KINDS)) if scope.whole_agent else []
        for name in sorted(scope.reminders):
            subjects.append(scheduled_timer_subject(scope.agent_id, EntityKind.REMINDER, name))
            subjects.append(scheduled_due_subject(scope.agent_id, EntityKind.REMINDER, name))
        return sum([await blobs.purge(self._admin, TIMER_STREAM, subject) for subject in subjects])

    async def _letters(self, scope: Scope) -> int:
        letters = DeadLetterStore(self._admin)
        found = [one for one in await letters.all() if scope.holds(one.letter.subject)]
        for one in found:
            await letters.discard(one.number)
        return len(found)


def _marked(erasure: Erasure, name: str, before: Entity | None) -> Change:
    """A mark keeps who asked for it, and why; what is found to go with it is added."""
    if before is None:
        return Write(msgspec.to_builtins(erasure))
    known = msgspec.convert(before.value, Erasure)
    if name != erasure.named or set(erasure.sessions) <= set(known.sessions):
        return None
    return Write(msgspec.to_builtins(msgspec.structs.replace(known, sessions=erasure.sessions)))

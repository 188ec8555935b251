"""Runs of scheduled tasks that were kept long enough: marked, to be taken out as deleted chats are."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import psycopg
import structlog
from psycopg import sql
from psycopg.rows import class_row

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Failure
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.interruption import Interruption
from projections.schema import SCHEMA
from projector.erasing import rows
from projector.service import DECLARATION
from projector.settings import ProjectorSettings

log = structlog.get_logger()

LOOK_S = 3600.0
_AGAIN_S = 30.0
_TOGETHER = 100
"""Fewer runs than these wait for others, a day at most: each time the whole log is read."""
_MOST = 1_000
"""Runs that are taken out together."""
_MOST_FOUND = 5_000
"""And that are looked for at a time."""
_WAIT = timedelta(days=1)


class _OldRun(msgspec.Struct, frozen=True):
    """A run that may go: its sessions, and which records of the log told of it. The newest of its schedule
    stays: it says where the schedule stands."""

    agent_id: str
    sessions: list[str]
    records: list[int]


class OldRuns:
    """Marks the runs that settings don't keep, so that `Erasures` takes them out.

    A run stays that failed, or whose session (or a sub-session of it) isn't over, put something before a
    person, was touched by one, is pinned, or is what another one begins with. A run stays, too, until runs of
    half as many days followed: a clock that is a year ahead takes nothing away.
    """

    def __init__(
        self, connection: NatsConnection, dsn: str, clock: Clock, settings: ProjectorSettings
    ) -> None:
        self._log = JetStreamLog(connection)
        self._entities = Entities(self._log, clock, DECLARATION.source)
        self._dsn = dsn
        self._clock = clock
        self._keep = settings.keep_runs
        self._days = settings.keep_runs_days
        self._marked: datetime | None = None

    async def run(self) -> None:
        """Look once an hour until cancelled."""
        interruption = Interruption("retention")
        while True:
            try:
                await self.mark()
                interruption.over()
                await asyncio.sleep(LOOK_S)
            except (Failure, psycopg.Error, OSError) as error:
                interruption.hit(str(error))
                await asyncio.sleep(_AGAIN_S)

    async def mark(self) -> int:
        """Mark what may go, if that is worth it; how many runs."""
        if not self._days:
            return 0
        now = self._clock.now()
        found = await self._old(now - timedelta(days=self._days))
        waits = self._marked is not None and now - self._marked < _WAIT
        if not found or (waits and len(found) < _TOGETHER):
            return 0
        self._marked = now
        for agent_id in dict.fromkeys(one.agent_id for one in found):
            of_agent = [one for one in found if one.agent_id == agent_id]
            for start in range(0, len(of_agent), _MOST):
                await self._mark(AgentId(agent_id), of_agent[start : start + _MOST], now)
        log.info("retention.marked", runs=len(found))
        return len(found)

    async def _mark(self, agent_id: AgentId, runs: Sequence[_OldRun], now: datetime) -> None:
        sessions = tuple(dict.fromkeys(name for one in runs for name in one.sessions))
        records = tuple(sorted({record for one in runs for record in one.records}))
        name = f"runs-{records[0]}-{records[-1]}"
        days = f"{self._days:g} days"
        why = f"runs that are older than {days}, and not among the newest {self._keep} of their task"
        mark = Erasure("runs", name, sessions, why, rfc3339(now), by="retention", records=records)

        def once(before: Entity | None) -> Change:
            return None if before is not None else Write(msgspec.to_builtins(mark))

        key = EntityKey(agent_id, EntityKind.ERASED, name)
        await self._entities.change(key, EntityWriter(f"erased:{name}", Actor.USER, since=0), once)

    async def _old(self, before: datetime) -> Sequence[_OldRun]:
        told = {"keep": self._keep, "before": before, "most": _MOST_FOUND, "worked": int(self._days / 2)}
        up_to = await self._log.last_sequence()
        async with rows.tables(self._dsn) as connection:
            await rows.until_reached(connection, up_to)  # else a fork or a word of today would not count
            async with connection.cursor(row_factory=class_row(_OldRun)) as cursor:
                await cursor.execute(_OLD, told)
                return await cursor.fetchall()


_OLD = sql.SQL(
    """
    WITH RECURSIVE worked AS (
        SELECT max(day) + 1 AS before FROM (
            SELECT DISTINCT modified_on::date AS day FROM {schema}.schedule_runs
            ORDER BY day DESC OFFSET %(worked)s LIMIT 1
        ) days
    ),
    ranked AS (
        SELECT agent_id, schedule_id, due_on, by_hand, outcome, ran_in, sequence,
            row_number() OVER (PARTITION BY agent_id, schedule_id ORDER BY due_on DESC, by_hand) AS number,
            max(sequence) OVER (PARTITION BY agent_id, schedule_id) AS newest
        FROM {schema}.schedule_runs
    ),
    old AS (
        SELECT *, 'agt.' || agent_id || {kind} || schedule_id AS subject FROM ranked
        WHERE number > %(keep)s AND due_on < least(%(before)s, (SELECT before FROM worked))
            AND (SELECT before FROM worked) IS NOT NULL AND sequence < newest
            AND outcome IN ('succeeded', 'stopped', 'skipped', 'missed')
        ORDER BY sequence LIMIT %(most)s
    ),
    family AS (
        SELECT ran_in AS run, ran_in AS session_id FROM old WHERE ran_in IS NOT NULL
        UNION
        SELECT family.run, child.session_id
        FROM family JOIN {schema}.sessions child ON child.parent_id = family.session_id
    ),
    staying AS (
        SELECT family.run FROM family LEFT JOIN {schema}.sessions s USING (session_id)
        WHERE s.session_id IS NULL OR s.status NOT IN ('idle', 'completed') OR s.failed_turn IS NOT NULL
            OR s.pinned OR s.woken OR s.active_at >= %(before)s OR s.waiting_calls <> '[]'
            OR EXISTS (SELECT FROM {schema}.sessions fork WHERE fork.forked_from_id = family.session_id)
            OR EXISTS (SELECT FROM {schema}.erasures gone WHERE gone.name = family.session_id)
            OR EXISTS (SELECT FROM {schema}.tool_calls call WHERE call.session_id = family.session_id
                AND (call.show IS NOT NULL OR call.answer IS NOT NULL))
            OR EXISTS (SELECT FROM {schema}.events event WHERE event.session_id = family.session_id
                AND event.actor = 'user')
    ),
    going AS (
        SELECT * FROM old
        WHERE ran_in IS NULL OR NOT EXISTS (SELECT FROM staying WHERE staying.run = old.ran_in)
    ),
    told AS (
        SELECT going.agent_id, going.schedule_id, going.due_on, going.by_hand,
            array_agg(event.sequence) AS records
        FROM {schema}.events event JOIN going
            ON event.agent_id = going.agent_id AND event.subject = going.subject
            AND event.sequence < going.newest
            AND (event.body->'value'->>'due_at')::timestamptz = going.due_on
            AND coalesce((event.body->'value'->>'by_hand')::boolean, false) = going.by_hand
        WHERE event.session_id IS NULL AND event.problem IS NULL AND event.place %% 4096 = 0
        GROUP BY 1, 2, 3, 4
    ),
    families AS (SELECT run, array_agg(session_id) AS sessions FROM family GROUP BY run)
    SELECT going.agent_id, coalesce(families.sessions, '{{}}') AS sessions, told.records
    FROM going JOIN told USING (agent_id, schedule_id, due_on, by_hand)
        LEFT JOIN families ON families.run = going.ran_in
    ORDER BY going.sequence
    """
).format(schema=sql.Identifier(SCHEMA), kind=sql.Literal(f".{EntityKind.RUN.value}."))

"""What `test_new_kind.py` runs beside a copy of `agent_contracts` that has one more kind, `recipe`.

Writes what it saw to the standard output, as JSON. The database is in the environment's `DSN`.
"""

import asyncio
import json
import os
from typing import Any, cast

from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.rewinds import Rewind
from agent_contracts.errors import Permanent
from agent_contracts.event_sources import ENGINE, GATEWAY, RUNNER, SCHEDULER, Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.kinds.registry import KINDS, written_by
from agent_contracts.kinds.rewound import COPIED_KINDS, SESSION_PART
from agent_contracts.kinds.values import flaw_in_value
from agent_contracts.log.record.codec import Envelope, encode, type_of
from agent_contracts.log.record.records import carrying
from agent_contracts.selection import Selection
from agent_domain.rewinding.plan import BegunRewind
from agent_domain.rewinding.rewinds import Rewinds, rewind_key
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.discovery import discover
from foldline_testing.agent_platform.memory_log import MemoryLog
from gateway.queries.agent_events import SHOWN_KINDS
from gateway.queries.own_changes import CHANGED_KINDS
from projections.project.log_projection import LogProjection
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

KIND = EntityKind("recipe")
AGENT = AgentId("cook")
KEY = EntityKey(AGENT, KIND, "bread")


class World:
    """One log, and who writes to it."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.reader = Entities(self.log, SystemClock(), RUNNER)
        self.refused: list[str] = []
        self._writes = 0

    async def write(self, value: Json, source: str = RUNNER, actor: Actor = Actor.AGENT) -> int:
        self._writes += 1
        session = SessionId("s_1") if actor is Actor.AGENT else None
        writer = EntityWriter(f"w{self._writes}", actor, session, CallId("c") if session else None)
        try:
            await Entities(self.log, SystemClock(), source).write(KEY, value, writer)
        except Permanent as refusal:
            self.refused.append(refusal.message)
        return await self.log.last_sequence()

    async def forge(self, value: Json) -> None:
        """As a service writes that may publish it and doesn't check it."""
        event = EntityWritten(KIND, KEY.name, value, 3)
        envelope = Envelope("forged", type_of(event), RUNNER, rfc3339(SystemClock().now()), Actor.AGENT)
        await self.log.append(carrying(envelope, encode(event), KEY.subject))

    async def value(self) -> Json:
        found = await self.reader.current(KEY)
        return None if found is None else found.value

    async def rewind(self, to: int) -> None:
        """As a person asks for it and an engine completes it."""
        by_engine = Entities(self.log, SystemClock(), ENGINE)
        rewinds = Rewinds(self.log, by_engine, cast(Any, None))  # no database goes back
        wanted = Rewind("r1", to, (Selection(KIND.value),))
        await rewinds.begin(AGENT, wanted, EntityWriter.user("r1:begun"))
        begun = await self.reader.current(rewind_key(AGENT))
        assert begun is not None
        await rewinds.complete(BegunRewind(begun))

    async def rows(self, dsn: str) -> tuple[list[Any], list[Any]]:
        """What the projector makes of all that: the rows of the kind, and the problems."""
        projection = LogProjection()
        async with writing(dsn) as connection:
            await create(connection, projection, projection.schema)
            writer = ProjectionWriter(connection, projection, projection.schema, 0, letters=None)
            await writer.write([message async for message in self.log.read(">")])
            rows = await connection.execute(
                "SELECT agent_id, name, version, value->>'title' AS title, value->>'minutes' AS minutes"
                " FROM projections.entities WHERE kind = 'recipe'"
            )
            problems = await connection.execute("SELECT problem FROM projections.events WHERE problem <> ''")
            return await rows.fetchall(), await problems.fetchall()


async def seen() -> dict[str, Any]:
    world = World()
    first = await world.write({"title": "Bread"})
    by_agent = await world.value()
    await world.write({"title": "Rye bread", "minutes": 90}, GATEWAY, Actor.USER)
    by_person = await world.value()
    await world.write({"title": "Stolen"}, SCHEDULER, Actor.SERVICE)
    await world.write({"title": 1})
    await world.forge({"title": 1})
    after_misfits = await world.value()
    versions = [
        one.event.version async for one in world.reader.versions(KEY) if isinstance(one.event, EntityWritten)
    ]
    await world.rewind(first)
    rows, problems = await world.rows(os.environ["DSN"])
    [engine] = [one for one in discover() if one.source == ENGINE]
    return {
        "by_agent": by_agent,
        "by_person": by_person,
        "after_misfits": after_misfits,
        "versions": versions,
        "after_rewind": await world.value(),
        "rows": rows,
        "refused": world.refused,
        "problems": [problem for (problem,) in problems],
        "flaw": flaw_in_value(KIND, {"title": 1}),
        "writes": [source for source in (GATEWAY, RUNNER, ENGINE, SCHEDULER) if KIND in written_by(source)],
        "engine's right": "agt.*.recipe.*" in engine.rights.publish,
        "noun": KINDS[KIND].noun,
        "counted_as": KINDS[KIND].counted_as,
        "in": [KIND in kinds for kinds in (SESSION_PART, COPIED_KINDS, SHOWN_KINDS, CHANGED_KINDS)],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(seen())))

"""How long it takes to make a whole agent what it was."""

import asyncio
import time
from pathlib import Path

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, Other, Write, Writer
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.process.clock import SystemClock
from bench.log_server import log_server
from bench.sampling import median
from bench.table import Figure, at_most
from gateway.operations.agents.agents import AgentRegistry
from gateway.operations.agents.edits import Edits
from gateway.operations.asked import asked
from gateway.operations.nats_runners import NatsRunners
from gateway.operations.restoring.restores import Back, Restores
from gateway.operations.rewind.database_changes import DatabaseLog

GROUP = "restore"
_AT_ONCE = 500


async def measure(folder: Path, *, events: int, things: int, rounds: int) -> list[Figure]:
    """An agent that so many events changed, so many things of it, and all of them back to the first event."""
    async with log_server(folder) as connection:
        log, clock = JetStreamLog(connection), SystemClock()
        edits = Edits(log, clock)
        agents = AgentRegistry(edits, clock, asyncio.Event().wait)  # type: ignore[arg-type]
        restores = Restores(
            log,
            clock,
            edits,
            agents,
            DatabaseLog(log, clock, NatsRunners(connection, JetStreamBlobs(connection))),
        )
        keys = [EntityKey(DEFAULT_AGENT, EntityKind.STATE, f"k{number}") for number in range(things)]
        await _write(edits.entities, keys, 0)
        to = await log.last_sequence()
        then = [one and one.value for one in await edits.entities.all_as_of(keys, to)]
        for turn in range(1, events // things + 1):
            await _write(edits.entities, keys, turn)
        took = []
        for _ in range(rounds):
            began = time.perf_counter()
            done = await restores.restore(DEFAULT_AGENT, Back(to), asked())
            took.append((time.perf_counter() - began) * 1000)
            now = [one and one.value for one in await edits.entities.all_as_of(keys, None)]
            if now != then or done.restored != {"state": things}:
                raise RuntimeError(f"the restore is not exact: {done}")
            await restores.restore(DEFAULT_AGENT, Back(done.sequence), asked())
    note = f"{things:,} things, changed by {events:,} events; exact"
    return [Figure(GROUP, "agent restored p50", median(took), "ms", at_most(1_000), note)]


async def _write(entities: Entities, keys: list[EntityKey], turn: int) -> None:
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        before = await entities.all_as_of(some, None)
        value = {"turn": turn, "text": "x" * 200}
        await entities.change_all(
            [
                Other(key, was, Write(value), Writer.user(f"{key.name}-{turn}"))
                for key, was in zip(some, before, strict=True)
            ]
        )

"""How long it takes to make a whole agent what it was."""

import time
from pathlib import Path

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import Rewind, rewind_from
from agent_contracts.kinds.rewound import REWOUND_KINDS
from agent_contracts.selection import Selection
from agent_domain.rewinding.asked_runners import AskedRunners
from agent_domain.rewinding.database import DatabaseLog
from agent_domain.rewinding.plan import BegunRewind
from agent_domain.rewinding.rewinds import Rewinds, rewind_key
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter, OtherChange, Write
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.process.clock import SystemClock
from bench.log_server import log_server
from bench.sampling import median
from bench.table import Figure, at_most

GROUP = "rewind"
SOURCE = event_sources.ENGINE
_AT_ONCE = 500


async def measure(folder: Path, *, events: int, things: int, rounds: int) -> list[Figure]:
    """An agent that so many events changed, so many things of it, and all of them back to the first event."""
    async with log_server(folder) as connection:
        log, clock = JetStreamLog(connection), SystemClock()
        entities = Entities(log, clock, SOURCE)
        database = DatabaseLog(log, clock, SOURCE, AskedRunners(connection))
        rewinds = Rewinds(log, entities, database)
        keys = [EntityKey(DEFAULT_AGENT, EntityKind.STATE, f"k{number}") for number in range(things)]
        await _write(entities, keys, 0)
        to = await log.last_sequence()
        then = [one and one.value for one in await entities.all_as_of(keys, to)]
        for turn in range(1, events // things + 1):
            await _write(entities, keys, turn)
        took = []
        for _ in range(rounds):
            began = time.perf_counter()
            begun, done = await _rewind(rewinds, entities, to)
            took.append((time.perf_counter() - began) * 1000)
            now = [one and one.value for one in await entities.all_as_of(keys, None)]
            if now != then or done.rewound != {"state": things}:
                raise RuntimeError(f"the rewind is not exact: {done}")
            await _rewind(rewinds, entities, begun)
    note = f"{things:,} things, changed by {events:,} events; exact"
    return [Figure(GROUP, "agent rewound p50", median(took), "ms", at_most(1_000), note)]


async def _rewind(rewinds: Rewinds, entities: Entities, to: int) -> tuple[int, Rewind]:
    """As an engine does it; the event that began it, and what came of it."""
    wanted = Rewind(SystemClock().new_id("b"), to, (*map(Selection, REWOUND_KINDS),))
    await rewinds.begin(DEFAULT_AGENT, wanted, EntityWriter.user(f"{wanted.id}:begun"))
    begun = await entities.current(rewind_key(DEFAULT_AGENT))
    assert begun is not None
    await rewinds.complete(BegunRewind(begun))
    done = await entities.current(rewind_key(DEFAULT_AGENT))
    assert done is not None
    return begun.sequence, rewind_from(done.value)


async def _write(entities: Entities, keys: list[EntityKey], turn: int) -> None:
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        before = await entities.all_as_of(some, None)
        value = {"turn": turn, "text": "x" * 200}
        await entities.change_all(
            [
                OtherChange(key, was, Write(value), EntityWriter.user(f"{key.name}-{turn}"))
                for key, was in zip(some, before, strict=True)
            ]
        )

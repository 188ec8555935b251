"""How long it takes to read what an agent made for itself, which every model call does."""

import time
from pathlib import Path

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_domain.definitions import to_json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.process.clock import SystemClock
from bench.log_server import log_server
from bench.sampling import median
from bench.table import Figure, at_most
from model_caller.offering.made_things import MadeByAgents

GROUP = "own-made"
_SOURCE = "x" * 20_000


async def measure(folder: Path, *, definitions: int, rounds: int) -> list[Figure]:
    """One agent with as many tools, each of 20 KB: the first call of a process, and every later one."""
    async with log_server(folder) as connection:
        log, clock = JetStreamLog(connection), SystemClock()
        entities = Entities(log, clock, event_sources.RUNNER)
        tool = to_json(ToolDefinition("For the bench.", {"type": "object"}, _SOURCE))
        for number in range(definitions):
            key = EntityKey(DEFAULT_AGENT, EntityKind.TOOL, f"tool_{number}")
            await entities.write(key, tool, EntityWriter.user(clock.new_id("e")))
        first, later = [], []
        for _ in range(rounds):
            made, newest = MadeByAgents(entities), await log.last_sequence()
            first.append(await _read(made, newest - 1))
            later.append(await _read(made, newest))
    note = f"{definitions} tools of 20 KB"
    return [
        Figure(GROUP, "what an agent made, first read p50", median(first), "ms", note=note),
        Figure(GROUP, "after one changed p50", median(later), "ms", at_most(20), note),
    ]


async def _read(made: MadeByAgents, sequence: int) -> float:
    began = time.perf_counter()
    await made.as_of(DEFAULT_AGENT, sequence)
    return (time.perf_counter() - began) * 1000

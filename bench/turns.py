"""Many sessions at once, and how far the projections lag behind meanwhile."""

import asyncio
import time

from agent_contracts.log.subjects import ALL_SESSIONS
from bench.lag import Lag
from bench.log_times import stored_events
from bench.sampling import percentile
from bench.script import steps
from bench.stage import Stage
from bench.table import Figure, at_least, at_most

GROUP = "turns"
_SESSIONS = 16


async def measure(stage: Stage, *, turns: int) -> list[Figure]:
    """16 sessions, each some turns of one tool call, one after another."""
    sessions = [await stage.new_session() for _ in range(_SESSIONS)]
    first = int((await stage.log.stream_info("LOG")).state.last_seq)

    async def talk(session_id: str) -> None:
        for _ in range(turns):
            await stage.turn(session_id, steps(1))

    async with Lag(stage.postgres_dsn) as lag:
        began = time.perf_counter()
        await asyncio.gather(*(talk(session_id) for session_id in sessions))
        took = time.perf_counter() - began
        events = await stored_events(stage.log, ALL_SESSIONS, after=first)
        await lag.until(events[-1].sequence)
    lags = lag.behind({event.sequence: event.at for event in events})
    note = "a turn: two model calls over HTTP, one tool call"
    return [
        Figure(GROUP, "turns/s, 16 sessions", _SESSIONS * turns / took, "1/s", note=note),
        Figure(GROUP, "events/s, 16 sessions", len(events) / took, "1/s", at_least(300)),
        Figure(GROUP, "projection lag p50 at that load", percentile(lags, 0.5), "ms"),
        Figure(GROUP, "projection lag p99 at that load", percentile(lags, 0.99), "ms", at_most(300)),
    ]

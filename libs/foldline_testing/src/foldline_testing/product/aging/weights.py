"""What a running Foldline holds, looked at again and again: what grows although nothing that is kept does."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import linear_regression, median

import msgspec
import psutil
import psycopg

from agent_contracts.log.subjects import LOG_STREAM
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.stack import Stack

_TABLES = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'projections' AND c.relkind = 'r'
"""
_MB = 1_000_000


class Weights(msgspec.Struct, frozen=True):
    """At one moment, after so many turns: `resident` MB of Foldline's own processes, their open files and
    threads, and what is in the folder for temporary files; of NATS its MB, its consumers and the subjects of
    the log; MB of the tables."""

    turns: int
    resident: float
    files: int
    threads: int
    temporary: int
    nats: float
    consumers: int
    subjects: int
    tables: float


def weigh(stack: Stack, temporary: Path, turns: int) -> Weights:
    """All of it, now."""
    servers = {*stack.pids("nats"), *stack.pids("postgres")}
    own = [one for one in _processes(stack.pid) if not _is_below(one, servers)]
    consumers, subjects, tables = asyncio.run(_stored(stack))
    return Weights(
        turns=turns,
        resident=sum(one.memory_info().rss for one in own) / _MB,
        files=sum(one.num_fds() for one in own),
        threads=sum(one.num_threads() for one in own),
        temporary=sum(1 for one in temporary.rglob("*") if one.is_file()),
        nats=sum(psutil.Process(pid).memory_info().rss for pid in stack.pids("nats")) / _MB,
        consumers=consumers,
        subjects=subjects,
        tables=tables / _MB,
    )


def growth(found: Sequence[Weights], of: str) -> float:
    """By how much it grew in 1,000 turns, as the straight line through the second half of the looks has it:
    the first half is for what fills up once."""
    later = found[len(found) // 2 :]
    slope, _ = linear_regression([one.turns for one in later], [float(getattr(one, of)) for one in later])
    return slope * 1_000


def level(found: Sequence[Weights], of: str) -> tuple[float, float]:
    """The median of the third quarter of the looks, and of the last."""
    quarter = len(found) // 4
    both = found[2 * quarter : 3 * quarter], found[3 * quarter :]
    third, last = (median(float(getattr(one, of)) for one in some) for some in both)
    return third, last


def _processes(pid: int) -> list[psutil.Process]:
    found = [psutil.Process(pid)]
    with suppress(psutil.NoSuchProcess):
        found += found[0].children(recursive=True)
    return found


def _is_below(one: psutil.Process, servers: set[int]) -> bool:
    with suppress(psutil.NoSuchProcess):
        return one.pid in servers or any(parent.pid in servers for parent in one.parents())
    return True


async def _stored(stack: Stack) -> tuple[int, int, int]:
    async with log_view(stack.data_dir) as view:
        info = await view.state_of(LOG_STREAM)
        async with await psycopg.AsyncConnection.connect(view.postgres_dsn) as connection:
            row = await (await connection.execute(_TABLES)).fetchone()
    assert row is not None
    return int(info["consumer_count"]), int(info["num_subjects"]), int(row[0])


class Looks:
    """Looks every so many seconds."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._next = time.monotonic()

    @property
    def are_due(self) -> bool:
        """Whether it is time to look again."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + self._every_s
        return True

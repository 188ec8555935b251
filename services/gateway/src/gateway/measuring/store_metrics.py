"""What is read at each scrape: sessions, what waits for people, queues, dead letters, disks, the backup."""

import asyncio
import os
import platform
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import structlog
from prometheus_client import Metric

from agent_contracts.errors import Failure
from agent_platform.log.sealing.record import LastBackup
from agent_platform.secrecy.failure_text import failure_of
from gateway.operations.operating.ports import DeadLetterSource, WorkerReports
from gateway.queries import activity, attention, sessions
from gateway.queries.database import Database

_log = structlog.get_logger()

_PATIENCE_S = 4.0
_BUSY_S = 300
_DISKS = ("data", "nats", "postgres")
"""The data directory, and the folders in it that may be disks of their own."""

BackupReader = Callable[[], Awaitable[LastBackup | None]]


class StoreMetrics:
    """Numbers of the whole Foldline. What can't be read now is missing, and `foldline_source_up` is 0."""

    def __init__(
        self,
        database: Database,
        workforce: WorkerReports,
        letters: DeadLetterSource,
        backup: BackupReader,
        data_dir: Path,
    ) -> None:
        self._database = database
        self._workforce = workforce
        self._letters = letters
        self._backup = backup
        self._data_dir = data_dir

    async def all(self) -> list[Metric]:
        """Each as it is now."""
        found = [self._build(), *self._disks()]
        up = Metric("foldline_source_up", "Whether what these numbers are read from answers", "gauge")
        read = await asyncio.gather(_all_of("postgres", self._tables()), _all_of("nats", self._streams()))
        for source, numbers in zip(("postgres", "nats"), read, strict=True):
            up.add_sample(up.name, {"source": source}, float(bool(numbers)))
            found += numbers
        return [*found, up]

    def _build(self) -> Metric:
        said = {"version": version("gateway"), "python": platform.python_version()}
        return _gauge("foldline_build_info", "What runs; always 1", (said, 1.0))

    def _disks(self) -> list[Metric]:
        free = _gauge("foldline_disk_free_bytes", "Bytes left on the disk of a folder of the data directory")
        size = _gauge("foldline_disk_size_bytes", "Bytes that this disk has in all")
        devices: set[int] = set()
        for name in _DISKS:
            folder = self._data_dir if name == "data" else self._data_dir / name
            try:
                disk, device = os.statvfs(folder), folder.stat().st_dev
            except OSError:  # a store elsewhere: its own machine knows
                continue
            if device in devices:  # one disk is told once
                continue
            devices.add(device)
            free.add_sample(free.name, {"disk": name}, disk.f_bavail * disk.f_frsize)
            size.add_sample(size.name, {"disk": name}, disk.f_blocks * disk.f_frsize)
        return [free, size]

    async def _tables(self) -> AsyncIterator[Metric]:
        async with self._database.snapshot() as snapshot:
            by_status = await sessions.counts(snapshot)
            by_kind = await attention.counts(snapshot)
            busiest = await activity.most_calls(snapshot, _BUSY_S)
        yield _gauge(
            "foldline_sessions", "Sessions by status", *(({"status": s}, n) for s, n in by_status.items())
        )
        yield _gauge(
            "foldline_waiting_for_person",
            "Things that wait for a person, by kind",
            *(({"kind": kind}, number) for kind, number in by_kind.items()),
        )
        yield _gauge(
            "foldline_busiest_session_calls",
            "Model and tool calls of the last five minutes, of the session that made the most",
            ({}, busiest),
        )

    async def _streams(self) -> AsyncIterator[Metric]:
        yield _gauge("foldline_dead_letters", "Dead letters", ({}, (await self._letters.page(None, 1)).total))
        waiting = _gauge("foldline_consumer_waiting", "Messages that wait for a consumer")
        in_hand = _gauge("foldline_consumer_in_hand", "Messages that a consumer was given and works on")
        again = _gauge("foldline_consumer_redelivered", "Messages in hand that are not there the first time")
        for queue in await self._workforce.queues():
            labels = {"consumer": queue.consumer, "stream": queue.stream}
            waiting.add_sample(waiting.name, labels, queue.waiting)
            in_hand.add_sample(in_hand.name, labels, queue.in_hand)
            again.add_sample(again.name, labels, queue.redelivered)
        for one in (waiting, in_hand, again):
            yield one
        backup = await self._backup()
        made = datetime.fromisoformat(backup.time).timestamp() if backup else 0.0
        yield _gauge(
            "foldline_last_backup_timestamp_seconds", "When the last backup was made; 0: never", ({}, made)
        )


async def _all_of(source: str, numbers: AsyncIterator[Metric]) -> list[Metric]:
    """All of them, or none if they don't come in time: a store may be there, and answer nothing."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return [one async for one in numbers]
    except (Failure, TimeoutError) as error:
        _log.info("metrics.source_away", source=source, reason=failure_of(error))
        return []


def _gauge(name: str, words: str, *samples: tuple[dict[str, str], float]) -> Metric:
    gauge = Metric(name, words, "gauge")
    for labels, value in samples:
        gauge.add_sample(name, labels, value)
    return gauge

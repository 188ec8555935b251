"""Saying who works for a consumer, every ten seconds, in the bucket of workers."""

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import Callable

import msgspec
import structlog

from agent_contracts.errors import Failure, Transient
from agent_contracts.subjects import WORKERS_BUCKET, worker_key
from agent_contracts.workers import BEAT_S, KEPT_S, InHand, Worker
from agent_platform.nats.bucket import bucket
from agent_platform.nats.connection import Connection
from agent_platform.process.clock import SystemClock, rfc3339

_log = structlog.get_logger(__name__)


class Reporting:
    """Tells of one process's work for one consumer; an orderly end takes the word back.

    Work never waits for it, and goes on where it can't be told.
    """

    def __init__(
        self, connection: Connection, consumer: str, capacity: int, in_hand: Callable[[], tuple[InHand, ...]]
    ) -> None:
        self._bucket = bucket(connection, WORKERS_BUCKET)
        self._clock = SystemClock()
        self._in_hand = in_hand
        self._worker = Worker(
            consumer=consumer,
            member=secrets.token_hex(6),
            host=socket.gethostname(),
            process=os.getpid(),
            started_at=rfc3339(self._clock.now()),
            seen_at="",
            capacity=capacity,
        )

    async def run(self) -> None:
        """Tell until cancelled."""
        key = worker_key(self._worker.consumer, self._worker.member)
        try:
            while True:
                with contextlib.suppress(Transient):  # told again in ten seconds
                    await self._tell(key)
                await asyncio.sleep(BEAT_S)
        except Failure as failure:
            _log.warning("worker.untold", consumer=self._worker.consumer, reason=failure.message)
        finally:
            with contextlib.suppress(Failure, TimeoutError):  # then it is taken for dead, and forgotten
                async with asyncio.timeout(1):
                    await self._bucket.delete(key)

    async def _tell(self, key: str) -> None:
        now = rfc3339(self._clock.now())
        worker = msgspec.structs.replace(self._worker, seen_at=now, in_hand=self._in_hand())
        await self._bucket.put(key, msgspec.json.encode(worker), ttl_s=KEPT_S)

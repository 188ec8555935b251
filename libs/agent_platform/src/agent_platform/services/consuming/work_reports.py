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
from agent_contracts.log.subjects import worker_key
from agent_contracts.log.workers import BEAT_S, KEPT_S, InHand, WorkerStatus
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock, rfc3339

_log = structlog.get_logger(__name__)

_NOTICED_S = 2.0
"""Within this time every process that lives notices that a consumer is another one, and tells what it has."""
_LOOK_AGAIN_S = 2.0


class WorkReporter:
    """Tells of one process's work for one consumer, in the bucket `workers`; an orderly end takes the word
    back.

    Work never waits for it, and goes on where it can't be told.
    """

    def __init__(
        self,
        workers: Bucket,
        consumer: str,
        capacity: int,
        in_hand: Callable[[], tuple[InHand, ...]],
    ) -> None:
        self._bucket = workers
        self._clock = SystemClock()
        self._in_hand = in_hand
        self._asked = asyncio.Event()
        self._worker = WorkerStatus(
            consumer=consumer,
            member=secrets.token_hex(6),
            host=socket.gethostname(),
            process=os.getpid(),
            started_at=rfc3339(self._clock.now()),
            seen_at="",
            capacity=capacity,
        )

    def tell_now(self) -> None:
        """Don't wait for the ten seconds to be over."""
        self._asked.set()

    async def until_others_left(self, sequence: int, *, known_s: float) -> None:
        """Wait while another living process has this message in hand. All say what they have as soon as they
        notice that the consumer is another one; this process did `known_s` ago."""
        if known_s < _NOTICED_S and await self._others():
            await asyncio.sleep(_NOTICED_S - known_s)
        while await self._have(sequence):  # noqa: ASYNC110 — who has it is another process
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def _have(self, sequence: int) -> bool:
        return any(sequence == one.sequence for worker in await self._others() for one in worker.in_hand)

    async def _others(self) -> list[WorkerStatus]:
        """None of them, if that can't be read."""
        now = rfc3339(self._clock.now())
        try:
            entries = await self._bucket.list()
            workers = [msgspec.json.decode(one.value, type=WorkerStatus) for one in entries.values()]
        except (Failure, msgspec.DecodeError) as error:
            _log.warning("workers.unread", consumer=self._worker.consumer, reason=str(error))
            return []
        return [
            worker
            for worker in workers
            if worker.consumer == self._worker.consumer
            and worker.member != self._worker.member
            and worker.lives(now)
            and not self._has_ended(worker)
        ]

    def _has_ended(self, worker: WorkerStatus) -> bool:
        """Of this machine it is known at once."""
        if worker.host != self._worker.host:
            return False
        try:
            os.kill(worker.process, 0)
        except ProcessLookupError:
            return True
        except OSError:  # another user's
            return False
        return False

    async def run(self) -> None:
        """Tell until cancelled."""
        key = worker_key(self._worker.consumer, self._worker.member)
        try:
            while True:
                with contextlib.suppress(Transient):  # told again in ten seconds
                    await self._tell(key)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._asked.wait(), BEAT_S)
                self._asked.clear()
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

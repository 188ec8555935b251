"""What a process knows of its durable consumer: which one it is, and how far, if the server loses it."""

import asyncio
import contextlib
import time

import structlog

from agent_contracts.errors import Failure, Transient
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.services.consuming.durable import Checkpoints, Durable, find, find_or_make

_log = structlog.get_logger(__name__)

CHECKPOINT_S = 5.0
_LAST_CHECKPOINT_S = 1.0


class KeptConsumer:
    """One consumer of the log, found or made before each time that it is pulled from."""

    def __init__(self, connection: NatsConnection, spec: ConsumerSpec) -> None:
        self._connection = connection
        self._spec = spec
        self._checkpoints = Checkpoints(connection)
        self._durable = Durable()
        self._base = 0
        self._noticed_at = 0.0
        self._kept = 0
        self.acknowledged = False
        """Whether anything was acknowledged since the last checkpoint."""

    async def ensure(self) -> bool:
        """Find it or make it; whether it is another one than before. Raises the three failures."""
        found = await find_or_make(self._connection, self._spec)
        is_new = found.made_ns != self._durable.made_ns
        if is_new:
            self._base = found.made_ns if self._durable.made_ns else 0
            self._noticed_at = time.monotonic()
        self._durable = found
        return is_new

    def is_again(self, sequence: int) -> bool:
        """Whether an earlier consumer of this name may have delivered the message."""
        return sequence <= self._durable.again_until

    def number(self, consumer_sequence: int) -> int:
        """The number of a delivery. Those of another consumer don't follow on those of the one before."""
        return self._base + consumer_sequence

    @property
    def known_s(self) -> float:
        """For how long this process has known it."""
        return time.monotonic() - self._noticed_at

    async def keep_checkpoints(self) -> None:
        """Until cancelled; work never waits for it."""
        while True:
            await asyncio.sleep(CHECKPOINT_S)
            if self.acknowledged:
                await self._keep()

    async def keep_the_last(self) -> None:
        """At the end, in a second at most."""
        if self._connection.is_connected:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LAST_CHECKPOINT_S):
                    await self._keep()

    async def _keep(self) -> None:
        self.acknowledged = False
        try:
            found = await find(self._connection, self._spec)
            if found is not None and found.floor > self._kept:
                await self._checkpoints.put(self._spec.name, found.floor)
                self._kept = found.floor
        except Transient:
            self.acknowledged = True  # tried again
        except Failure as failure:
            _log.error("checkpoint.not_kept", consumer=self._spec.name, reason=failure.message)

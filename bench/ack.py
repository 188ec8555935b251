"""The floor: one connection publishes 1 KB to a JetStream stream, and waits for the acknowledgement."""

import time

from nats.js import JetStreamContext
from nats.js.api import StorageType, StreamConfig

from bench.sampling import percentile
from bench.script import KILOBYTE
from bench.table import Figure

STREAM = "BENCH"
_BODY = KILOBYTE.encode()


class Acks:
    """Acknowledgements of the same server, taken between the other measurements so that noise hits both."""

    def __init__(self, log: JetStreamContext) -> None:
        self._log = log
        self.samples: list[float] = []
        """Milliseconds."""

    async def open(self) -> None:
        """Make the stream."""
        await self._log.add_stream(StreamConfig(name=STREAM, subjects=["bench.>"], storage=StorageType.FILE))

    async def take(self, number: int) -> list[float]:
        """So many more, in milliseconds."""
        taken = []
        for _ in range(number):
            began = time.perf_counter()
            await self._log.publish("bench.ack", _BODY)
            taken.append((time.perf_counter() - began) * 1000)
        self.samples += taken
        return taken

    def figures(self) -> list[Figure]:
        """What it took in all."""
        note = f"1 KB, fsync on every ack, n={len(self.samples)}"
        return [
            Figure("ack", "bare publish-ack p50", percentile(self.samples, 0.5), "ms", note=note),
            Figure("ack", "bare publish-ack p99", percentile(self.samples, 0.99), "ms"),
        ]

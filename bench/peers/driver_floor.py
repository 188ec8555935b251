"""The floor: two records a step on a bare JetStream stream, each flushed to the disk before what follows."""

import json
import os
from pathlib import Path

import nats
from nats.aio.client import Client
from nats.js import JetStreamContext
from work import WORK, Driver, serve  # type: ignore[import-not-found]

_ADMIN = "admin"
_STREAM, _SUBJECT = "FLOOR", "floor"


class Floor(Driver):  # type: ignore[misc]
    """What no runtime on this server can be faster than."""

    client: Client
    log: JetStreamContext

    async def open(self) -> None:
        """Connect, and make the stream if there is none."""
        passwords = json.loads((Path(os.environ["PEERS_DATA"]) / "passwords.json").read_text())["nats"]
        url = os.environ["PEERS_SERVER"]
        self.client = await nats.connect(url, user=_ADMIN, password=passwords[_ADMIN])
        self.log = self.client.jetstream()
        await self.log.add_stream(name=_STREAM, subjects=[f"{_SUBJECT}.>"])

    async def run(self, sid: str, steps: int) -> None:
        """See `Driver`."""
        await self._go_on(sid, 0, steps)

    async def resume(self, sid: str, steps: int) -> None:
        """The last record says how far it came."""
        await self.open_once()
        last = await self.log.get_last_msg(_STREAM, f"{_SUBJECT}.{sid}")
        stored = json.loads(last.data or b"{}")
        await self._go_on(sid, stored["i"] + (1 if stored["kind"] == "tool" else 0), steps)

    async def close(self) -> None:
        """See `Driver`."""
        await self.client.close()

    async def _go_on(self, sid: str, first: int, steps: int) -> None:
        for i in range(first, steps):
            for kind, work in (("model", WORK.model), ("tool", WORK.tool)):
                record = {"kind": kind, "i": i, "said": work(sid, i)}
                await self.log.publish(f"{_SUBJECT}.{sid}", json.dumps(record).encode())
        WORK.done(sid)


if __name__ == "__main__":
    serve(Floor())

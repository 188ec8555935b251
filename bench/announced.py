"""What would be won if repeatable work began when its request is announced, not when it is stored (ADR 0064).

One connection appends requests of 1 KB to a stream that flushes each; another hears of each twice: on core
NATS, where it is announced just before it is appended, and from the consumer that it pulls from, as today.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from agent_contracts.log.record.records import NewMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.pulls import Pulls
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer
from bench.sampling import median
from bench.script import KILOBYTE
from bench.table import Figure

GROUP = "announced"
_USER = "bench"
_SUBJECT = "ses.a.1.s.in.user_message"
_CONSUMER = "bench-announced"


async def measure(folder: Path, *, requests: int) -> list[Figure]:
    """Medians over so many requests, one after another; processor time of both ends, with and without."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    user = NatsUser(_USER, secrets.token_hex(8))
    server = NatsServer(folder, [user], sync="always")
    await server.start()
    try:
        one = await connect(server.url, name="appends", user=_USER, password=user.password)
        other = await connect(server.url, name="hears", user=_USER, password=user.password)
        try:
            await ensure_streams(one, StreamSettings())
            return await _measure(one, other, requests)
        finally:
            await other.close()
            await one.close()
    finally:
        await server.stop()


async def _measure(one: NatsConnection, other: NatsConnection, requests: int) -> list[Figure]:
    heard: asyncio.Queue[float] = asyncio.Queue()
    stored: asyncio.Queue[float] = asyncio.Queue()

    def now_into(queue: "asyncio.Queue[float]") -> Callable[[object], None]:
        return lambda _: queue.put_nowait(time.perf_counter())

    async def announced(message: object) -> None:
        now_into(heard)(message)

    await other.subscribe("announced.>", announced)
    config = {"name": _CONSUMER, "ack_policy": "none", "deliver_policy": "new", "mem_storage": True}
    request = {"stream_name": "LOG", "config": config, "action": "create"}
    await other.api(f"CONSUMER.CREATE.LOG.{_CONSUMER}", request)
    pulls = Pulls(other, "LOG", _CONSUMER, 256, now_into(stored))
    pulling = asyncio.create_task(pulls.until_interrupted())
    log, body = JetStreamLog(one), KILOBYTE.encode()
    until_heard, until_stored, appended = list[float](), list[float](), list[float]()
    spent = {True: 0.0, False: 0.0}
    try:
        for number in range(-20, 2 * requests):  # the first ones warm up
            with_it = number % 2 == 0
            cpu, began = time.process_time(), time.perf_counter()
            if with_it:
                await one.publish("announced.x", body)
            await log.append(NewMessage(_SUBJECT, body, {}))
            acked = time.perf_counter()
            delivered = await stored.get()
            pulls.release()
            first = await heard.get() if with_it else None
            if number < 0:
                continue
            spent[with_it] += time.process_time() - cpu
            if first is not None:
                until_heard.append((first - began) * 1000)
            else:
                until_stored.append((delivered - began) * 1000)
                appended.append((acked - began) * 1000)
    finally:
        pulling.cancel()
        await asyncio.gather(pulling, return_exceptions=True)
    costs = (spent[True] - spent[False]) * 1000 / requests
    return [
        Figure(GROUP, "until a stored request is delivered", median(until_stored), "ms"),
        Figure(GROUP, "until an announced request is heard", median(until_heard), "ms"),
        Figure(GROUP, "append, until acknowledged", median(appended), "ms"),
        Figure(GROUP, "processor time that an announcement costs both ends", costs, "ms"),
    ]

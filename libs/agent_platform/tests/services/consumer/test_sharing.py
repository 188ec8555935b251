"""How replicas share a steady flow of work."""

import asyncio
from collections import Counter

from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest

SPEC = ConsumerSpec("work", ("ses.>",), ack_wait_s=30.0, parallel=64)
EARLIER, MESSAGES = 40, 60


async def unwanted(message: StoredMessage, reason: str) -> None:
    raise AssertionError(f"given up: {reason}")


async def test_a_replica_that_joins_later_gets_about_as_much_as_one_that_is_as_fast(
    service: ServiceRuntime, jetstream: JetStreamLog, nats_server: NatsForTest
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    shares: Counter[str] = Counter()

    def consumer(name: str, around: ServiceRuntime) -> JetStreamConsumer:
        async def handle(delivery: Delivery) -> None:
            shares[name] += 1
            await asyncio.sleep(0.02)  # sleeps: work

        return JetStreamConsumer(around, SPEC, handle, unwanted)

    other = await connect(nats_server.url, name="other")
    tracing = Tracing("other")
    both = [asyncio.create_task(consumer("one", service).run())]
    few = asyncio.Semaphore(24)

    async def append(number: int) -> None:
        async with few:
            await jetstream.append(NewMessage(f"ses.a.1.s{number}.in.x", b"", {"Nats-Msg-Id": f"m{number}"}))

    async def handled(number: int) -> None:
        async def all_done() -> bool | None:
            return shares.total() == number or None

        await eventually(all_done)

    try:
        await asyncio.gather(*map(append, range(EARLIER)))
        await handled(EARLIER)
        shares.clear()
        joining = ServiceRuntime(other, HealthChecks(), Metrics(), tracing)
        both.append(asyncio.create_task(consumer("two", joining).run()))
        await asyncio.sleep(0.5)  # sleeps: quiet; it asks for work
        await asyncio.gather(*map(append, range(EARLIER, EARLIER + MESSAGES)))
        await handled(MESSAGES)
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        tracing.close()
        await other.close()
    assert min(shares.values()) > 0.2 * MESSAGES, shares  # a busy machine is fair to neither

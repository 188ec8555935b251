"""A consumer process that takes a message, says so, and never ends its work."""

import asyncio
import sys

from agent_contracts.log.record.records import StoredMessage
from agent_platform.nats.connection import connect
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime

SPEC = ConsumerSpec("work", ("ses.>",), ack_wait_s=1.0, max_deliver=5)


async def hang(delivery: Delivery) -> None:
    print(f"has {delivery.message.sequence} attempt {delivery.attempt}", flush=True)
    await asyncio.sleep(3600)


async def never(message: StoredMessage, reason: str) -> None: ...


async def main() -> None:
    connection = await connect(sys.argv[1], name="hanging")
    service = ServiceRuntime(connection, HealthChecks(), Metrics(), Tracing("hanging"))
    await JetStreamConsumer(service, SPEC, hang, never).run()


asyncio.run(main())

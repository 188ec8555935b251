"""Create durable consumers, or bring them up to date. Needs the user `admin`."""

import asyncio
from collections.abc import Sequence

from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.errors import ApiError
from agent_platform.nats.streams import as_failure
from agent_platform.services.consuming.durable import bring_up_to_date


async def ensure_consumers(connection: NatsConnection, specs: Sequence[ConsumerSpec]) -> None:
    """Create or update durable consumers. A new one starts at its checkpoint, else at its stream's first
    message.

    The back-off is the client's (see `JetStreamConsumer`): the server's would replace the ack wait.
    """
    await asyncio.gather(*(_ensure_consumer(connection, spec) for spec in specs))


async def _ensure_consumer(connection: NatsConnection, spec: ConsumerSpec) -> None:
    try:
        await bring_up_to_date(connection, spec)
    except ApiError as error:
        raise as_failure(error, f"consumer {spec.name}") from error

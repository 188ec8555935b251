"""Who works on the log, as the bucket of workers and the server know it."""

import msgspec
import structlog

from agent_contracts.subjects import (
    BROWSER_POOL_CONSUMER,
    ENGINE_CONSUMER,
    LOG_STREAM,
    MODEL_CALLER_CONSUMER,
    TOOL_RUNNER_CONSUMER,
    WORKERS_BUCKET,
)
from agent_contracts.workers import Worker
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import Connection
from agent_platform.nats.errors import NOT_FOUND, ApiError
from gateway.operations.levers.ports import Queue

CONSUMERS = (ENGINE_CONSUMER, MODEL_CALLER_CONSUMER, TOOL_RUNNER_CONSUMER, BROWSER_POOL_CONSUMER)

log = structlog.get_logger()


class NatsWorkforce:
    """`Workforce` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._bucket = bucket(connection, WORKERS_BUCKET)

    async def workers(self) -> list[Worker]:
        """See the port."""
        found = []
        for key, entry in (await self._bucket.list()).items():
            try:
                found.append(msgspec.json.decode(entry.value, type=Worker))
            except msgspec.DecodeError as error:  # of another version: the others are told all the same
                log.warning("worker.unreadable", key=key, error=str(error))
        return sorted(found, key=lambda one: (one.consumer, one.started_at))

    async def queues(self) -> list[Queue]:
        """See the port."""
        found = []
        for consumer in CONSUMERS:
            try:
                info = await self._connection.api(f"CONSUMER.INFO.{LOG_STREAM}.{consumer}")
            except ApiError as error:
                if error.err_code in NOT_FOUND:
                    continue
                raise error.as_failure(f"consumer {consumer}") from error
            found.append(
                Queue(
                    consumer=consumer,
                    waiting=info["num_pending"],
                    in_hand=info["num_ack_pending"],
                    redelivered=info["num_redelivered"],
                )
            )
        return found

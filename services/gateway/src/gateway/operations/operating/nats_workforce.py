"""Who works on the log, as the bucket of workers and the server know it."""

from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from agent_contracts.api.operating import Queue
from agent_contracts.log.subjects import WORKED_ON, WORKERS_BUCKET
from agent_contracts.log.workers import WorkerStatus
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError
from agent_platform.observing.told_metrics import EveryService

log = structlog.get_logger()


class NatsWorkforce:
    """`WorkerReports` over a connection."""

    def __init__(self, connection: NatsConnection, services: EveryService) -> None:
        self._connection = connection
        self._services = services
        self._bucket = bucket(connection, WORKERS_BUCKET)

    async def services(self) -> Mapping[str, int]:
        """See the port."""
        return await self._services.answering()

    async def workers(self) -> list[WorkerStatus]:
        """See the port."""
        found = []
        for key, entry in (await self._bucket.list()).items():
            try:
                found.append(msgspec.json.decode(entry.value, type=WorkerStatus))
            except msgspec.DecodeError as error:  # of another version: the others are told all the same
                log.warning("worker.unreadable", key=key, error=str(error))
        return sorted(found, key=lambda one: (one.consumer, one.started_at))

    async def queues(self) -> list[Queue]:
        """See the port."""
        return [queue for stream in WORKED_ON for queue in await self._queues(stream)]

    async def _queues(self, stream: str) -> list[Queue]:
        found: list[dict[str, Any]] = []
        while True:
            try:
                page = await self._connection.api(f"CONSUMER.LIST.{stream}", {"offset": len(found)})
            except ApiError as error:
                if error.err_code in NOT_FOUND:  # nothing works on it yet
                    return []
                raise error.as_failure(f"the consumers of {stream}") from error
            listed = page.get("consumers") or []
            found += listed
            if not listed or len(found) >= page["total"]:
                break
        durable = (one for one in found if one["config"].get("durable_name"))
        return sorted((_queue(one) for one in durable), key=lambda one: one.consumer)


def _queue(info: dict[str, Any]) -> Queue:
    return Queue(
        consumer=info["name"],
        stream=info["stream_name"],
        waiting=info["num_pending"],
        in_hand=info["num_ack_pending"],
        redelivered=info["num_redelivered"],
        delivered_at=info["delivered"].get("last_active"),
    )

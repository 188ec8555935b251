"""Who works for a consumer says so, with what it has in hand, and takes it back when it ends in order."""

import asyncio

import msgspec
import pytest

from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import WORKERS_BUCKET
from agent_contracts.log.workers import WorkerStatus
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.services.consuming import work_reports
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually


async def test_a_worker_is_seen_with_its_work_until_it_ends(
    service: ServiceRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_reports, "BEAT_S", 0.05)
    spec = ConsumerSpec("work", ("ses.>",), parallel=3)
    await ensure_consumers(service.connection, [spec])
    go_on = asyncio.Event()

    async def handle(delivery: Delivery) -> None:
        await go_on.wait()

    async def given_up(message: StoredMessage, reason: str) -> None:
        raise AssertionError(reason)

    told = bucket(service.connection, WORKERS_BUCKET)

    async def seen() -> list[WorkerStatus]:
        return [msgspec.json.decode(one.value, type=WorkerStatus) for one in (await told.list()).values()]

    consumer = asyncio.create_task(JetStreamConsumer(service, spec, handle, given_up).run())
    await JetStreamLog(service.connection).append(NewMessage("ses.a.1.s.in.x", b"{}", {}))

    async def working() -> WorkerStatus | None:
        return next((one for one in await seen() if one.in_hand), None)

    worker = await eventually(working)
    assert (worker.consumer, worker.capacity, worker.in_hand[0].subject) == ("work", 3, "ses.a.1.s.in.x")
    go_on.set()
    consumer.cancel()
    await asyncio.wait([consumer])
    assert await seen() == []

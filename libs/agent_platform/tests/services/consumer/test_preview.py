"""What a consumer is shown before its handler runs."""

import asyncio
import contextlib

import pytest

from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually

SPEC = ConsumerSpec("work", ("ses.>",), ack_wait_s=5.0, backoff_s=(0.01,), parallel=8)


async def never(message: StoredMessage, reason: str) -> None:
    pytest.fail(f"given up: {reason}")


async def run_until_all_is_acknowledged(consumer: JetStreamConsumer) -> None:
    task = asyncio.create_task(consumer.run())

    async def nothing_is_left() -> bool | None:
        lag = await consumer.lag()
        return (lag.pending == 0 and lag.in_flight == 0) or None

    await eventually(nothing_is_left)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def fill(log: JetStreamLog, messages: int) -> None:
    for n in range(messages):
        await log.append(NewMessage(f"ses.a.1.s.in.{n % 2}", b"", {"Nats-Msg-Id": f"m{n}"}))


async def test_every_delivery_is_previewed_in_order_and_only_what_is_wanted_is_handled(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    await fill(jetstream, 50)
    previewed: list[tuple[int, int]] = []
    handled: list[int] = []

    def preview(delivery: Delivery, number: int) -> bool:
        previewed.append((delivery.message.sequence, number))
        return delivery.message.subject.endswith(".1")

    async def handle(delivery: Delivery) -> None:
        handled.append(delivery.message.sequence)

    await run_until_all_is_acknowledged(JetStreamConsumer(service, SPEC, handle, never, preview))
    assert previewed == [(n, n) for n in range(1, 51)]
    assert sorted(handled) == list(range(2, 51, 2))


async def test_the_number_jumps_where_another_process_got_a_message(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    await fill(jetstream, 40)
    numbers: list[list[int]] = [[], []]

    def replica(seen: list[int]) -> JetStreamConsumer:
        def preview(delivery: Delivery, number: int) -> bool:
            seen.append(number)
            return True

        async def handle(delivery: Delivery) -> None:
            await asyncio.sleep(0.005)  # sleeps: work

        return JetStreamConsumer(service, SPEC, handle, never, preview)

    await asyncio.gather(*(run_until_all_is_acknowledged(replica(seen)) for seen in numbers))
    assert sorted(numbers[0] + numbers[1]) == list(range(1, 41))
    assert all(seen == sorted(seen) for seen in numbers)


async def test_a_preview_that_breaks_leaves_the_message_to_the_handler(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    await fill(jetstream, 2)
    handled: list[int] = []

    def preview(delivery: Delivery, number: int) -> bool:
        raise KeyError("a bug")

    async def handle(delivery: Delivery) -> None:
        handled.append(delivery.message.sequence)

    await run_until_all_is_acknowledged(JetStreamConsumer(service, SPEC, handle, never, preview))
    assert sorted(handled) == [1, 2]

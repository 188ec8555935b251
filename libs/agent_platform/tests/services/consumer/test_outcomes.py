"""What becomes of a message, by how its handler ended."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import msgspec
import pytest

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.log.record.codec import Envelope
from agent_contracts.log.record.records import NewMessage, StoredMessage, carrying
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.dead_letter import DeadLetterRecord
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually

SPEC = ConsumerSpec("work", ("ses.>",), ack_wait_s=1.0, max_deliver=3, backoff_s=(0.01, 0.02))


class Handling:
    """A handler that does what its script says at each attempt, then succeeds."""

    def __init__(self, *script: BaseException) -> None:
        self.script = list(script)
        self.deliveries: list[Delivery] = []
        self.given_up: list[tuple[StoredMessage, str]] = []

    async def handle(self, delivery: Delivery) -> None:
        self.deliveries.append(delivery)
        if self.script:
            raise self.script.pop(0)

    async def exhausted(self, message: StoredMessage, reason: str) -> None:
        self.given_up.append((message, reason))

    @property
    def attempts(self) -> list[int]:
        return [delivery.attempt for delivery in self.deliveries]


@contextlib.asynccontextmanager
async def running(
    service: ServiceRuntime, handling: Handling, spec: ConsumerSpec = SPEC
) -> AsyncIterator[JetStreamConsumer]:
    await ensure_consumers(service.connection, [spec])
    consumer = JetStreamConsumer(service, spec, handling.handle, handling.exhausted)
    task = asyncio.create_task(consumer.run())
    try:
        yield consumer
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def settled(consumer: JetStreamConsumer) -> None:
    async def nothing_left() -> bool | None:
        lag = await consumer.lag()
        return (lag.pending, lag.in_flight) == (0, 0) or None

    await eventually(nothing_left)


async def dead_letters(connection: NatsConnection) -> list[DeadLetterRecord]:
    found = JetStreamLog(connection, stream="DLQ").read("dlq.LOG.work")
    return [msgspec.json.decode(message.data, type=DeadLetterRecord) async for message in found]


@pytest.fixture
async def sequence(jetstream: JetStreamLog) -> int:
    return await jetstream.append(NewMessage("ses.a.1.s.in.x", b"hello", {"Nats-Msg-Id": "m1", "h": "v"}))


async def test_a_handled_message_is_delivered_once_as_it_was_written(
    service: ServiceRuntime, sequence: int
) -> None:
    handling = Handling()
    async with running(service, handling) as consumer:
        await settled(consumer)
    written = StoredMessage(sequence, "ses.a.1.s.in.x", b"hello", {"Nats-Msg-Id": "m1", "h": "v"})
    assert handling.deliveries == [Delivery(written, 1, again=True)]  # it is older than the consumer
    assert b'outcome="ack"} 1.0' in service.metrics.render()


async def test_a_rejected_message_is_done_with(service: ServiceRuntime, sequence: int) -> None:
    handling = Handling(Rejected("no"))
    async with running(service, handling) as consumer:
        await settled(consumer)
    assert handling.attempts == [1]
    assert handling.given_up == []
    assert await dead_letters(service.connection) == []


@pytest.mark.parametrize("failure", [Transient("busy", retry_after=0.01), Transient("busy"), KeyError("bug")])
async def test_a_failed_message_is_delivered_again(
    service: ServiceRuntime, sequence: int, failure: Exception
) -> None:
    handling = Handling(failure, failure)
    async with running(service, handling) as consumer:
        await settled(consumer)
    assert handling.attempts == [1, 2, 3]
    assert handling.given_up == []


async def test_a_permanent_failure_is_given_up_at_once(service: ServiceRuntime, sequence: int) -> None:
    handling = Handling(Permanent("unreadable", kind="bad_event"))
    async with running(service, handling) as consumer:
        await settled(consumer)
    assert handling.attempts == [1]
    assert [(message.sequence, reason) for message, reason in handling.given_up] == [
        (sequence, "bad_event: unreadable")
    ]
    assert await dead_letters(service.connection) == [
        DeadLetterRecord("LOG", "work", sequence, "ses.a.1.s.in.x", "bad_event: unreadable", 1)
    ]


async def test_a_message_that_fails_every_time_is_given_up_after_its_last_attempt(
    service: ServiceRuntime, sequence: int
) -> None:
    handling = Handling(*(Transient("down") for _ in range(9)))
    async with running(service, handling) as consumer:
        await settled(consumer)
    assert handling.attempts == [1, 2, 3]
    assert len(handling.given_up) == 1
    (letter,) = await dead_letters(service.connection)
    assert (letter.sequence, letter.attempts) == (sequence, 3)


async def test_giving_up_is_tried_again_until_it_succeeds_and_leaves_one_dead_letter(
    service: ServiceRuntime, sequence: int
) -> None:
    handling = Handling(Permanent("bad"), Permanent("bad"))
    failures = [Transient("the log is away")]
    real = handling.exhausted

    async def exhausted(message: StoredMessage, reason: str) -> None:
        assert await dead_letters(service.connection) == [], "it is told of before it is set aside"
        await real(message, reason)
        if failures:
            raise failures.pop()

    handling.exhausted = exhausted  # type: ignore[method-assign]
    async with running(service, handling) as consumer:
        await settled(consumer)
    assert handling.attempts[:2] == [1, 2]  # more where an acknowledgement came late on a busy machine
    assert len(handling.given_up) == 2
    assert len(await dead_letters(service.connection)) == 1


async def test_a_handler_that_cancels_itself_is_a_bug_and_not_the_end_of_the_consumer(
    service: ServiceRuntime, sequence: int, jetstream: JetStreamLog
) -> None:
    handling = Handling(asyncio.CancelledError())
    async with running(service, handling) as consumer:
        await settled(consumer)
        await jetstream.append(NewMessage("ses.a.1.s.in.y", b"", {}))
        await settled(consumer)
    assert handling.attempts == [1, 2, 1]


async def test_the_trace_of_a_message_goes_on_in_its_handler(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    header = f"00-{trace_id}-b7ad6b7169203331-01"
    envelope = Envelope("e", "t", "/s", "2026-01-31T12:34:56Z", traceparent=header)
    await jetstream.append(carrying(envelope, b'{"type":"t"}', "ses.a.1.s.in.x"))
    seen: list[str | None] = []
    handling = Handling()

    async def handle(delivery: Delivery) -> None:
        seen.append(current_traceparent())

    handling.handle = handle  # type: ignore[method-assign]
    async with running(service, handling) as consumer:
        await settled(consumer)
    assert [one and one.split("-")[1] for one in seen] == [trace_id]

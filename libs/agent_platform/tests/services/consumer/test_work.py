"""How consumers share, keep and give back work."""

import asyncio
import contextlib
import sys
from functools import partial
from pathlib import Path

import pytest

from agent_contracts.errors import Transient
from agent_contracts.log.record.codec import Envelope
from agent_contracts.log.record.records import NewMessage, StoredMessage, carrying
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
from foldline_testing.agent_platform.eventually import eventually, until
from foldline_testing.agent_platform.servers import NatsForTest

SPEC = ConsumerSpec("work", ("ses.>",), ack_wait_s=1.0, max_deliver=5, backoff_s=(0.01,), parallel=8)


async def never(message: StoredMessage, reason: str) -> None:
    pytest.fail(f"given up: {reason}")


def message(n: int) -> NewMessage:
    return NewMessage(f"ses.a.1.s{n}.in.x", str(n).encode(), {"Nats-Msg-Id": f"m{n}"})


async def stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_imported_events_are_acknowledged_and_handled_by_nobody(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    handled, previewed = [], []

    async def handle(delivery: Delivery) -> None:
        handled.append(delivery.message.data)

    def preview(delivery: Delivery, number: int) -> bool:
        previewed.append(delivery.message.data)
        return True

    consumer = JetStreamConsumer(service, SPEC, handle, never, preview)
    task = asyncio.create_task(consumer.run())
    for n in range(4):
        digest = "0" * 64 if n % 2 else None
        envelope = Envelope(f"e{n}", "foldline.session.t.v1", "/s", "2026-01-31T12:34:56Z", imported=digest)
        await jetstream.append(
            carrying(envelope, b'{"type":"foldline.session.t.v1","n":%d}' % n, message(n).subject)
        )

    async def all_done() -> bool | None:
        lag = await consumer.lag()
        return (lag.pending, lag.in_flight) == (0, 0) or None

    await eventually(all_done)
    await stop(task)
    assert (sorted(handled), sorted(previewed)) == (
        [b'{"type":"foldline.session.t.v1","n":%d}' % n for n in (0, 2)],
        [b'{"type":"foldline.session.t.v1","n":%d}' % n for n in range(4)],
    )


async def test_handlers_run_at_once_up_to_the_limit(service: ServiceRuntime, jetstream: JetStreamLog) -> None:
    await ensure_consumers(service.connection, [SPEC])
    running, most, done = 0, 0, 0

    async def handle(delivery: Delivery) -> None:
        nonlocal running, most, done
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)  # sleeps: work
        running -= 1
        done += 1

    task = asyncio.create_task(JetStreamConsumer(service, SPEC, handle, never).run())
    await asyncio.gather(*(jetstream.append(message(n)) for n in range(100)))

    async def all_done() -> bool | None:
        return done == 100 or None

    await eventually(all_done)
    await stop(task)
    assert most == SPEC.parallel


async def test_a_message_in_work_for_longer_than_the_ack_wait_is_not_delivered_again(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    deliveries: list[int] = []
    finished = asyncio.Event()

    async def handle(delivery: Delivery) -> None:
        deliveries.append(delivery.attempt)
        await asyncio.sleep(2.5)  # sleeps: work
        finished.set()

    task = asyncio.create_task(JetStreamConsumer(service, SPEC, handle, never).run())
    await jetstream.append(message(1))
    async with asyncio.timeout(20):
        await finished.wait()
    await stop(task)
    assert deliveries == [1]


async def test_two_replicas_share_the_work(service: ServiceRuntime, jetstream: JetStreamLog) -> None:
    await ensure_consumers(service.connection, [SPEC])
    by: dict[str, list[int]] = {"one": [], "two": []}

    def handler(name: str) -> JetStreamConsumer:
        async def handle(delivery: Delivery) -> None:
            by[name].append(delivery.message.sequence)
            await asyncio.sleep(0.01)  # sleeps: work

        return JetStreamConsumer(service, SPEC, handle, never)

    tasks = [asyncio.create_task(handler(name).run()) for name in by]
    await asyncio.gather(*(jetstream.append(message(n)) for n in range(120)))

    async def all_done() -> bool | None:
        return len(by["one"]) + len(by["two"]) >= 120 or None

    await eventually(all_done)
    for task in tasks:
        await stop(task)
    assert sorted(by["one"] + by["two"]) == list(range(1, 121))
    assert min(len(by["one"]), len(by["two"])) > 30


async def test_at_a_stop_short_work_is_finished_and_long_work_given_back(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    patient = ConsumerSpec("work", ("ses.>",), ack_wait_s=60.0, parallel=4)
    await ensure_consumers(service.connection, [patient])
    begun, ended = list[str](), list[str]()
    short, endless = asyncio.Event(), asyncio.Event()

    async def handle(delivery: Delivery) -> None:
        body = delivery.message.data.decode()
        try:
            begun.append(body)
            await (short if body == "0" else endless).wait()
            ended.append(f"finished {body}")
        except asyncio.CancelledError:
            ended.append(f"cancelled {body}")
            raise

    first = asyncio.create_task(JetStreamConsumer(service, patient, handle, never).run())
    for n in range(6):  # two more than it handles at once
        await jetstream.append(message(n))
    await until(lambda: len(begun) == 4)
    stopping = asyncio.create_task(stop(first))
    await asyncio.sleep(0)  # it is told to stop
    short.set()
    await stopping
    assert sorted(ended) == ["cancelled 1", "cancelled 2", "cancelled 3", "finished 0"]

    again: list[str] = []

    async def take(delivery: Delivery) -> None:
        again.append(delivery.message.data.decode())

    second = asyncio.create_task(JetStreamConsumer(service, patient, take, never).run())

    async def all_back() -> bool | None:
        return len(again) == 5 or None

    await eventually(all_back, within=20)  # the ack wait is 60 s: they were given back
    await stop(second)
    assert sorted(again) == ["1", "2", "3", "4", "5"]


@pytest.mark.faults
async def test_the_server_killed_and_restarted_under_a_consumer_loses_nothing(
    service: ServiceRuntime, jetstream: JetStreamLog, nats_server: NatsForTest
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    seen: set[int] = set()

    async def handle(delivery: Delivery) -> None:
        seen.add(delivery.message.sequence)

    async def until_appended(new: NewMessage) -> None:
        """As services do: asked again, under the same id, for as long as the server is away."""
        while True:
            with contextlib.suppress(Transient):
                await jetstream.append(new)
                return

    task = asyncio.create_task(JetStreamConsumer(service, SPEC, handle, never).run())
    for n in range(20):
        await jetstream.append(message(n))
    for round_number in range(2):
        nats_server.kill()
        appending = asyncio.create_task(until_appended(message(100 + round_number)))
        await nats_server.embedded().start()
        await appending
    for n in range(20, 40):
        await jetstream.append(message(n))

    async def all_seen() -> bool | None:
        return seen == set(range(1, 43)) or None

    await eventually(all_seen)
    await stop(task)


@pytest.mark.faults
async def test_a_killed_consumers_messages_are_delivered_to_another(
    service: ServiceRuntime, jetstream: JetStreamLog, nats_server: NatsForTest
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    program = Path(__file__).parent / "hanging_consumer.py"
    victim = await asyncio.create_subprocess_exec(
        sys.executable, str(program), nats_server.url, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert victim.stdout is not None
        await jetstream.append(message(1))
        async with asyncio.timeout(30):
            assert await victim.stdout.readline() == b"has 1 attempt 1\n"
    finally:
        victim.kill()
        await victim.wait()
    seen: list[int] = []

    async def handle(delivery: Delivery) -> None:
        seen.append(delivery.attempt)

    task = asyncio.create_task(JetStreamConsumer(service, SPEC, handle, never).run())

    async def delivered() -> bool | None:
        return bool(seen) or None

    await eventually(delivered)
    await stop(task)
    assert seen == [2]


async def test_a_consumer_ends_when_its_connection_is_closed_and_does_not_spin(
    nats_server: NatsForTest, service: ServiceRuntime
) -> None:
    await ensure_consumers(service.connection, [SPEC])
    before = asyncio.all_tasks()
    own = await connect(nats_server.url, name="short-lived")
    tracing = Tracing("test")
    around = ServiceRuntime(own, HealthChecks(), Metrics(), tracing)

    async def handle(delivery: Delivery) -> None: ...

    consumer = JetStreamConsumer(around, SPEC, handle, never)
    with pytest.raises(Transient):
        await consumer.check()
    task = asyncio.create_task(consumer.run())
    await eventually(partial(_is_ready, consumer))
    await own.close()
    await asyncio.wait_for(task, 60)
    with pytest.raises(Transient):
        await consumer.check()
    await until(lambda: asyncio.all_tasks() <= before)  # nothing of it is left that could spin
    tracing.close()


async def _is_ready(consumer: JetStreamConsumer) -> bool | None:
    try:
        await consumer.check()
    except Transient:
        return None
    return True

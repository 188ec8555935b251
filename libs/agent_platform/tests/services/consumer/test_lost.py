"""A consumer that the server lost: made anew from its checkpoint, by whoever finds it gone."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from agent_contracts.errors import Transient
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.consuming import kept_consumer
from agent_platform.services.consuming.consumer import Delivery, Handler
from agent_platform.services.consuming.durable import Checkpoints, Durable, find, find_or_make
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.consuming.kept_consumer import KeptConsumer
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually

pytestmark = pytest.mark.processes

SPEC = ConsumerSpec("work", ("ses.>",), ack_wait_s=30.0, parallel=8, costly=True)


async def never(message: StoredMessage, reason: str) -> None:
    pytest.fail(f"given up: {reason}")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    """A server that a test may kill."""
    server = NatsServer(tmp_path / "nats", [NatsUser("all", "pw")])
    server.start_blocking()
    yield server
    server.stop_blocking()


@pytest.fixture
async def around(server: NatsServer) -> AsyncIterator[ServiceRuntime]:
    async with surroundings(server) as service:
        await ensure_streams(service.connection, StreamSettings())
        yield service


@asynccontextmanager
async def surroundings(server: NatsServer) -> AsyncIterator[ServiceRuntime]:
    connection = await connect(server.url_for("all"), name="test")
    tracing = Tracing("test")
    try:
        yield ServiceRuntime(connection, HealthChecks(), Metrics(), tracing)
    finally:
        tracing.close()
        await connection.close()


@asynccontextmanager
async def running(consumer: JetStreamConsumer) -> AsyncIterator[None]:
    task = asyncio.create_task(consumer.run())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def append(connection: NatsConnection, *numbers: int) -> None:
    for n in numbers:
        await JetStreamLog(connection).append(NewMessage(f"ses.a.1.s{n}.in.x", b"", {"Nats-Msg-Id": f"m{n}"}))


class Seen:
    """What was delivered: sequence, attempt, and whether it may have been before."""

    def __init__(self) -> None:
        self.deliveries: list[tuple[int, int, bool]] = []
        self.numbers: list[int] = []
        self.held: dict[int, asyncio.Event] = {}

    async def handle(self, delivery: Delivery) -> None:
        self.deliveries.append((delivery.message.sequence, delivery.attempt, delivery.again))
        if (event := self.held.get(delivery.message.sequence)) is not None:
            await event.wait()

    def preview(self, delivery: Delivery, number: int) -> bool:
        self.numbers.append(number)
        return True

    @property
    def sequences(self) -> list[int]:
        return [sequence for sequence, _, _ in self.deliveries]

    async def saw_again(self, sequence: int) -> None:
        async def twice() -> bool | None:
            return self.sequences.count(sequence) > 1 or None

        await eventually(twice)

    async def saw(self, *sequences: int) -> None:
        async def all_of_them() -> bool | None:
            return set(sequences) <= set(self.sequences) or None

        await eventually(all_of_them)


async def made(connection: NatsConnection) -> Durable:
    found = await find(connection, SPEC)
    assert found is not None
    return found


async def acknowledged(connection: NatsConnection, floor: int) -> None:
    async def so_far() -> bool | None:
        found = await find(connection, SPEC)
        return (found is not None and found.floor >= floor) or None

    await eventually(so_far)


async def restart(server: NatsServer) -> None:
    server.kill()
    await server.start()


async def test_no_acknowledgement_is_written_to_the_disk(around: ServiceRuntime) -> None:
    await find_or_make(around.connection, SPEC)
    info = await around.connection.api("CONSUMER.INFO.LOG.work")
    assert info["config"]["mem_storage"] is True


async def test_work_goes_on_from_the_checkpoint_when_the_server_was_killed(
    around: ServiceRuntime, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_consumer, "CHECKPOINT_S", 0.05)
    await find_or_make(around.connection, SPEC)
    seen = Seen()
    async with running(JetStreamConsumer(around, SPEC, seen.handle, never, seen.preview)):
        await append(around.connection, 1, 2, 3)
        await seen.saw(1, 2, 3)

        async def kept() -> bool | None:
            return await Checkpoints(around.connection).get("work") == 3 or None

        await eventually(kept, within=60)  # others write to the same disk
        await restart(server)
        await acknowledged(around.connection, 3)
        await append(around.connection, 4)
        await seen.saw(4)
    assert seen.deliveries == [(1, 1, False), (2, 1, False), (3, 1, False), (4, 1, False)]
    assert seen.numbers[3] > seen.numbers[2] + 1  # nobody takes the new consumer's for the old one's next


async def test_what_was_in_hand_or_acknowledged_since_comes_again_and_is_told_apart_from_the_new(
    around: ServiceRuntime, server: NatsServer
) -> None:
    await find_or_make(around.connection, SPEC)
    seen = Seen()
    seen.held[2] = asyncio.Event()
    async with running(JetStreamConsumer(around, SPEC, seen.handle, never)):
        await append(around.connection, 1, 2, 3)
        await seen.saw(1, 2, 3)
        await restart(server)  # no checkpoint was kept so soon
        await seen.saw_again(1)
        await append(around.connection, 4)
        await seen.saw(4)
        seen.held[2].set()
        await acknowledged(around.connection, 4)
    assert sorted(seen.deliveries[3:]) == [(1, 1, True), (2, 1, True), (3, 1, True), (4, 1, False)]


async def test_the_end_of_a_process_keeps_how_far_it_came(around: ServiceRuntime) -> None:
    seen = Seen()
    async with running(JetStreamConsumer(around, SPEC, seen.handle, never)):
        await append(around.connection, 1, 2)
        await seen.saw(1, 2)
    assert await Checkpoints(around.connection).get("work") == 2


async def test_unfinished_work_is_never_below_the_checkpoint(around: ServiceRuntime) -> None:
    seen = Seen()
    seen.held[2] = asyncio.Event()
    async with running(JetStreamConsumer(around, SPEC, seen.handle, never)):
        await append(around.connection, 1, 2, 3)
        await seen.saw(1, 2, 3)
    assert await Checkpoints(around.connection).get("work") == 1


@pytest.mark.parametrize(("checkpoint", "start"), [(0, 1), (2, 3), (3, 4), (99, 1)])
async def test_a_checkpoint_beyond_the_log_is_not_believed(
    around: ServiceRuntime, checkpoint: int, start: int
) -> None:
    await append(around.connection, 1, 2, 3)
    await Checkpoints(around.connection).put("work", checkpoint)
    assert (await find_or_make(around.connection, SPEC)).again_until == 3
    info = await around.connection.api("CONSUMER.INFO.LOG.work")
    assert info["config"].get("opt_start_seq", 1) == start
    assert info["num_pending"] == 4 - start


async def test_a_checkpoint_older_than_the_logs_beginning_starts_there(around: ServiceRuntime) -> None:
    await append(around.connection, 1, 2, 3)
    await Checkpoints(around.connection).put("work", 1)
    await around.connection.api("STREAM.PURGE.LOG", {"seq": 3})
    seen = Seen()
    async with running(JetStreamConsumer(around, SPEC, seen.handle, never)):
        await seen.saw(3)
    assert seen.sequences == [3]


async def test_two_processes_that_find_it_gone_make_one(around: ServiceRuntime, server: NatsServer) -> None:
    await append(around.connection, *range(1, 11))
    await Checkpoints(around.connection).put("work", 4)
    async with surroundings(server) as other:
        both = await asyncio.gather(
            *(find_or_make(one.connection, SPEC) for one in (around, other, around, other))
        )
        assert len({one.made_ns for one in both}) == 1
        seen, others = Seen(), Seen()
        async with (
            running(JetStreamConsumer(around, SPEC, seen.handle, never)),
            running(JetStreamConsumer(other, SPEC, others.handle, never)),
        ):
            await acknowledged(around.connection, 10)
    assert sorted(seen.sequences + others.sequences) == [5, 6, 7, 8, 9, 10]


async def test_what_another_living_process_has_in_hand_is_left_to_it(
    around: ServiceRuntime, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_platform.services.consuming.work_reports._LOOK_AGAIN_S", 0.1)
    done: list[tuple[str, int]] = []
    held = asyncio.Event()
    holder: list[str] = []

    def handling(name: str) -> Handler:
        mine = asyncio.Lock()  # as every handler has one for what is in hand here

        async def handle(delivery: Delivery) -> None:
            if delivery.message.sequence != 1:
                done.append((name, delivery.message.sequence))
                return
            async with mine:
                if not holder:
                    holder.append(name)
                    await held.wait()
                done.append((name, delivery.message.sequence))

        return handle

    async def begun() -> bool | None:
        return bool(holder) or None

    async def others_are_done() -> bool | None:
        return {sequence for _, sequence in done} >= set(range(2, 8)) or None

    async with (
        surroundings(server) as other,
        running(JetStreamConsumer(around, SPEC, handling("one"), never)),
        running(JetStreamConsumer(other, SPEC, handling("two"), never)),
    ):
        await append(around.connection, 1)
        await eventually(begun)
        await restart(server)
        await append(around.connection, *range(2, 8))
        await eventually(others_are_done)
        await asyncio.sleep(0.5)  # sleeps: quiet; whoever was given it again would have begun
        assert 1 not in {sequence for _, sequence in done}
        held.set()
        await acknowledged(around.connection, 7)
    assert done.index((holder[0], 1)) == 6  # the other one found it done


async def test_of_a_stream_on_several_servers_the_state_stays_on_the_disk(
    around: ServiceRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []
    real = around.connection.api

    async def api(name: str, request: dict[str, object] | None = None, **how: float) -> dict[str, object]:
        if name.startswith("CONSUMER.CREATE."):
            assert request is not None
            asked.append(request["config"])  # type: ignore[arg-type]
        answer = await real(name, request, **how)
        if name == "STREAM.INFO.LOG":
            answer["config"]["num_replicas"] = 3
        return answer

    monkeypatch.setattr(around.connection, "api", api)
    await find_or_make(around.connection, SPEC)
    assert asked[0]["mem_storage"] is False


async def test_a_checkpoint_that_could_not_be_kept_is_kept_by_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_consumer, "CHECKPOINT_S", 0)
    kept: list[int] = []
    tries: list[Exception | None] = [Transient("NATS is away"), None]
    stored = asyncio.Event()

    async def find(*_: object) -> Durable:
        failure = tries.pop(0) if tries else None
        if failure is not None:
            raise failure
        return Durable(floor=7)

    class Keeping:
        def __init__(self, _: NatsConnection) -> None:
            pass

        async def put(self, name: str, floor: int) -> None:
            kept.append(floor)
            stored.set()

    monkeypatch.setattr(kept_consumer, "find", find)
    monkeypatch.setattr(kept_consumer, "Checkpoints", Keeping)
    consumer = KeptConsumer(cast("NatsConnection", None), SPEC)
    consumer.acknowledged = True
    keeping = asyncio.create_task(consumer.keep_checkpoints())
    await asyncio.wait_for(stored.wait(), 60)
    keeping.cancel()
    await asyncio.wait({keeping})
    assert (kept, consumer.acknowledged) == ([7], False)

"""Engines that share out the partitions, over a real server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Transient
from agent_contracts.ids import PARTITIONS, AgentId, SessionId, partition_of
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from session_engine.partitions import Partitions

SESSIONS = [SessionId(f"s{number}") for number in range(60)]


class Engine:
    """Notes the sessions whose messages it handled. One that is stuck never comes to the end of one."""

    def __init__(self, name: str, service: ServiceRuntime) -> None:
        self.service = service
        self.handled: list[str] = []
        self.began: list[str] = []
        self.stuck = False
        self.failure: Exception | None = None
        self.partitions = Partitions(service, name, self._handle)
        self.task = asyncio.create_task(self.partitions.run())

    async def _handle(self, delivery: Delivery) -> None:
        session_id = session_subjects.parse_session_subject(delivery.message.subject).key.session_id
        self.began.append(session_id)
        if self.stuck:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        self.handled.append(session_id)

    def owns(self, session_id: SessionId) -> bool:
        return partition_of(session_id) in self.partitions.owned

    async def stop(self) -> None:
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task


Start = Callable[[str], Awaitable[Engine]]


@pytest.fixture
async def start(nats_server: NatsForTest) -> AsyncIterator[Start]:
    async with AsyncExitStack() as stack:

        async def started(name: str) -> Engine:
            connection = await connect(nats_server.url, name=name)
            stack.push_async_callback(connection.close)
            tracing = Tracing(name)
            stack.callback(tracing.close)
            engine = Engine(name, ServiceRuntime(connection, HealthChecks(), Metrics(), tracing))
            stack.push_async_callback(engine.stop)
            return engine

        yield started


async def all_shared(*engines: Engine) -> None:
    """Return when every partition has one owner of these, and all agree."""

    async def shared() -> bool | None:
        owned = [number for engine in engines for number in engine.partitions.owned]
        return sorted(owned) == list(range(PARTITIONS)) or None

    await eventually(shared)


def delivery(session_id: SessionId) -> Delivery:
    subject = f"{SessionKey(AgentId('a'), session_id).prefix}.in.user_message"
    return Delivery(StoredMessage(7, subject, b"{}", {"Nats-Msg-Id": "e1"}), 1)


def owned_by(engine: Engine) -> SessionId:
    return next(session_id for session_id in SESSIONS if engine.owns(session_id))


async def test_one_engine_alone_owns_everything_and_asks_nobody(start: Start) -> None:
    one = await start("one")
    for session_id in SESSIONS:
        await one.partitions.handle(delivery(session_id))
    assert one.handled == SESSIONS


async def test_a_session_is_handled_by_its_owner_whoever_pulled_the_message(start: Start) -> None:
    engines = [await start(name) for name in ("one", "two", "three")]
    await all_shared(*engines)
    pulled = [(engine, session_id) for session_id in SESSIONS for engine in engines]
    await asyncio.gather(*(engine.partitions.handle(delivery(session_id)) for engine, session_id in pulled))
    for engine in engines:
        theirs = [session_id for session_id in SESSIONS if engine.owns(session_id)]
        assert theirs
        assert sorted(engine.handled) == sorted(theirs * len(engines))
    text = engines[0].service.metrics.render().decode()
    assert f"foldline_partitions_owned {float(len(engines[0].partitions.owned))}" in text
    handed_off = len(SESSIONS) - len(engines[0].handled) // len(engines)
    assert f'foldline_messages_handed_off_total{{outcome="handled"}} {float(handed_off)}' in text


async def test_what_a_killed_owner_had_in_hand_is_handled_by_the_one_who_pulled_it(start: Start) -> None:
    one, two = await start("one"), await start("two")
    await all_shared(one, two)
    two.stuck = True
    lost = owned_by(two)
    handling = asyncio.create_task(one.partitions.handle(delivery(lost)))
    await eventually(lambda: _has(two.began, lost))
    await two.service.connection.close()
    await handling
    assert one.handled == [lost]


async def test_an_owner_that_vanished_is_found_out_by_the_next_message_and_all_is_shared_anew(
    start: Start,
) -> None:
    one, two = await start("one"), await start("two")
    await all_shared(one, two)
    lost = owned_by(two)
    await two.service.connection.close()
    await eventually(lambda: _is_unserved(one.service.connection, subjects.engine_subject("two")))
    with capture_logs() as logged:
        await one.partitions.handle(delivery(lost))
    assert one.handled == [lost]
    assert len(one.partitions.owned) == PARTITIONS
    assert "presence.silent" not in [line["event"] for line in logged]


async def test_what_an_owner_fails_at_is_handled_by_the_one_who_pulled_it(start: Start) -> None:
    one, two = await start("one"), await start("two")
    await all_shared(one, two)
    two.failure = Transient("not now")
    await one.partitions.handle(delivery(owned_by(two)))
    assert one.handled == [owned_by(two)]
    one.failure = Transient("nor here")
    with pytest.raises(Transient, match="nor here"):
        await one.partitions.handle(delivery(owned_by(two)))


async def test_an_engine_that_stops_gives_back_what_it_was_handed_and_its_partitions(start: Start) -> None:
    one, two = await start("one"), await start("two")
    await all_shared(one, two)
    two.stuck = True
    given_back = owned_by(two)
    handling = asyncio.create_task(one.partitions.handle(delivery(given_back)))
    await eventually(lambda: _has(two.began, given_back))
    await two.stop()
    await handling
    assert one.handled == [given_back]
    assert 'outcome="returned"} 1.0' in one.service.metrics.render().decode()
    await all_shared(one)


async def test_a_message_too_large_to_be_handed_off_is_handled_by_the_one_who_pulled_it(
    start: Start,
) -> None:
    one, two = await start("one"), await start("two")
    await all_shared(one, two)
    known = delivery(owned_by(two)).message
    largest = b"x" * one.service.connection.client.max_payload
    await one.partitions.handle(Delivery(StoredMessage(7, known.subject, largest, {}), 1))
    assert one.handled == [owned_by(two)]


async def _is_unserved(connection: NatsConnection, subject: str) -> bool | None:
    try:
        await connection.request(subject, b"", timeout=0.1)
    except Transient as error:
        return error.kind == "no_responders" or None
    return None


async def _has(names: list[str], name: str) -> bool | None:
    return name in names or None

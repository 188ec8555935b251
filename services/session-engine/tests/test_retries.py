"""Failed turns on a real server: they wait by its timers, and go on when their model server answers."""

import asyncio
from datetime import timedelta

import msgspec

from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.subjects import TIMER_STREAM, due_subject, timers_waiting_for
from agent_contracts.log.timers import Timer, encode_timer, read_timer
from agent_contracts.questions.queries import ServerAnswers
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallFailed, ModelFailure
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import SystemClock, rfc3339
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.session_engine.acting import acting
from foldline_testing.session_engine.world import AGENT, KEY, World
from session_domain.domain.state import Status
from session_domain.replay import replay
from session_engine.retries import Retries
from session_engine.service import TIMERS

SERVER = "5f16f4c7f149ac4f"
RETRIED = KEY.input("foldline.session.timer_due.v1")
HOURS = inputs.Created(agent_id=AGENT, token_limit=1_000, title="t", retry_delays_s=(3600.0, 3600.0))


def failed(call: str, retry_after_s: float | None = None) -> ModelCallFailed:
    """The model server gave no answer to this call."""
    return ModelCallFailed(
        CallId(call),
        ModelFailure.UNREACHABLE,
        "no answer",
        "m",
        retryable=True,
        retry_after_s=retry_after_s,
        server=SERVER,
    )


async def with_a_failed_turn(world: World, created: inputs.Created = HOURS, **fault: float) -> None:
    """A session whose only turn failed."""
    await world.happens(created)
    await world.happens(inputs.UserMessage(text="hello"))
    await world.settle()
    await world.result(failed("m000003", **fault))
    await world.settle()
    assert (await world.state()).status is Status.IDLE


def retries(connection: NatsConnection, spread_s: float = 0.2) -> Retries:
    """Those of one engine."""
    return Retries(JetStreamLog(connection, stream=TIMER_STREAM), SystemClock(), spread_s)


async def waiting(world: World) -> list[Timer]:
    """The timers of failed turns that the server keeps."""
    return [read_timer(m.data) for m in await world.schedule.last_of_each(timers_waiting_for(SERVER))]


async def asked(world: World) -> int:
    """How often the model was asked."""
    await world.settle()
    return len([one for one in await world.events() if isinstance(one, ev.ModelCallRequested)])


async def test_a_failed_turn_goes_on_when_its_time_comes(world: World, connection: NatsConnection) -> None:
    soon = msgspec.structs.replace(HOURS, retry_delays_s=(0.3,))
    async with acting(world, connection):
        await with_a_failed_turn(world, soon)
        await eventually(lambda: world.log.last(RETRIED))
        assert await asked(world) == 2
    assert await waiting(world) == []


async def test_a_failed_turn_goes_on_as_soon_as_its_server_answers(
    world: World, connection: NatsConnection
) -> None:
    async with acting(world, connection):
        await with_a_failed_turn(world)
        told = await retries(connection).respond(msgspec.json.encode(ServerAnswers(SERVER)))
        assert told == 1
        await eventually(lambda: world.log.last(RETRIED))
        assert await asked(world) == 2
    assert (await replay(world.log, KEY)).difference is None


async def test_told_by_many_and_again_and_again_it_goes_on_once(
    world: World, connection: NatsConnection
) -> None:
    async with acting(world, connection):
        await with_a_failed_turn(world)
        await asyncio.gather(*(retries(connection).go_on(SERVER) for _ in range(5)))
        await eventually(lambda: world.log.last(RETRIED))
        await retries(connection).go_on(SERVER)
        await eventually(lambda: _all_handled(connection))
        assert await asked(world) == 2
    assert len([one for one in await world.events() if isinstance(one, inputs.TimerDue)]) == 1


async def test_another_servers_answer_means_nothing_to_it(world: World, connection: NatsConnection) -> None:
    await with_a_failed_turn(world)
    assert await retries(connection).go_on("0123456789abcdef") == 0
    [timer] = await waiting(world)
    assert not timer.answered


async def test_many_go_on_one_after_another(world: World, connection: NatsConnection) -> None:
    now = SystemClock().now()
    for number in range(40):
        late = rfc3339(now + timedelta(hours=1))
        timer = Timer(AGENT, SessionId(f"s_{number}"), "retry", late, CallId("m000003"), server=SERVER)
        await world.schedule.append(NewMessage(timer.subject, encode_timer(timer), timer.headers()))
    assert await retries(connection, spread_s=600.0).go_on(SERVER) == 40
    times = sorted(timer.due_at for timer in await waiting(world))
    assert len(set(times)) > 30
    assert times[0] >= rfc3339(now)
    assert times[-1] <= rfc3339(now + timedelta(seconds=660))


async def test_one_whose_server_said_when_to_come_back_waits_so_long(
    world: World, connection: NatsConnection
) -> None:
    await with_a_failed_turn(world, retry_after_s=600.0)
    await retries(connection).go_on(SERVER)
    [timer] = await waiting(world)
    assert timer.answered
    assert timer.due_at == timer.not_before


async def test_a_message_that_came_first_makes_its_timer_needless(
    world: World, connection: NatsConnection
) -> None:
    await with_a_failed_turn(world)
    await world.happens(inputs.UserMessage(text="again"))
    await world.settle()
    async with acting(world, connection):
        await retries(connection).go_on(SERVER)
        await eventually(lambda: world.schedule.last(due_subject("s_1~m000003")))
        await eventually(lambda: _all_handled(connection))
    assert await world.log.last(RETRIED) is None


async def test_what_is_no_timer_is_passed_over(world: World, connection: NatsConnection) -> None:
    await with_a_failed_turn(world)
    await world.schedule.append(NewMessage(f"timer.retry.{SERVER}.x", b"{}", {}))
    assert await retries(connection).go_on(SERVER) == 1


async def _all_handled(connection: NatsConnection) -> bool | None:
    """Whether the engines are done with every timer that came due."""
    info = await connection.api(f"CONSUMER.INFO.{TIMER_STREAM}.{TIMERS.name}")
    return (info["num_pending"], info["num_ack_pending"]) == (0, 0) or None

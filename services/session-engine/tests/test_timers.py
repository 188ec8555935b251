"""Timers as the engine sets them and acts on them, by a clock that the test moves."""

import asyncio
from datetime import datetime, timedelta

import pytest

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.ids import PARTITIONS, CallId, SessionId, partition_of
from agent_contracts.log import subjects
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.timers import Timer, decode_timer, encode_timer, read_timer
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_engine.world import AGENT, CREATED, KEY, SESSION, World, answer
from session_domain import missing_timers
from session_domain.domain.state import SessionState, Status
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions

CALL = CallId("m000003-00")
RUNS = f"{SESSION}~run_timeout"
EXPIRES = f"{SESSION}~{CALL}"


class MovableClock(SystemClock):
    """The machine's clock, stopped where the test wants it."""

    def __init__(self) -> None:
        self.moment = super().now()

    def now(self) -> datetime:
        """The time in UTC."""
        return self.moment

    def passes(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What seems to be lost is looked at again without a pause."""
    monkeypatch.setattr(missing_timers, "_SETTLES_S", 0.0)


@pytest.fixture
def world(clock: MovableClock) -> World:
    return World(clock=clock)


async def asked(world: World, expires_in_s: float, **created: object) -> None:
    """A session whose model asked the user, who has so many seconds to answer."""
    first = inputs.Created(agent_id=AGENT, token_limit=1000, title="t", **created)  # type: ignore[arg-type]
    await world.given(first, inputs.UserMessage(text="hi"))
    await world.result(answer("m000003", "ask_user"))
    await world.settle()
    expires_at = rfc3339(world.clock.now() + timedelta(seconds=expires_in_s))
    await world.result(results.ToolCallPending(CALL, {"kind": "ask_user"}, "r", expires_at))
    await world.settle()


async def runs_for_a_minute_at_most(world: World) -> None:
    await world.given(
        inputs.Created(agent_id=AGENT, token_limit=1000, title="t", run_timeout_s=60.0),
        inputs.UserMessage(text="hi"),
    )


async def times_set(world: World, timer_id: str) -> list[str]:
    """For which times a timer was set, one after another."""
    due = subjects.due_subject(timer_id)
    stored = [message async for message in world.schedule.read(subjects.timer_subject(timer_id))]
    return [decode_timer(due, message.data).due_at for message in stored]


async def comes_due(world: World, timer_id: str, attempt: int = 1) -> Delivery:
    """What the server delivers of a timer as it was set last."""
    last = await world.schedule.last(subjects.timer_subject(timer_id))
    assert last is not None
    return Delivery(StoredMessage(900, subjects.due_subject(timer_id), last.data, {}), attempt)


async def told(world: World) -> list[inputs.TimerDue]:
    return [event for event in await world.events() if isinstance(event, inputs.TimerDue)]


async def test_a_question_that_expires_has_its_timer_set_once(world: World) -> None:
    await asked(world, 60)
    await world.given(inputs.Renamed(title="another"))
    due_at = rfc3339(world.clock.now() + timedelta(seconds=60))
    assert await times_set(world, EXPIRES) == [due_at]
    stored = await world.schedule.last(f"timer.{EXPIRES}")
    assert stored is not None
    assert stored.headers == {
        "Nats-Schedule": f"@at {due_at}",
        "Nats-Schedule-Target": f"due.{EXPIRES}",
        "Nats-Schedule-TTL": "168h",
    }


async def test_who_takes_over_from_an_engine_that_died_sets_the_timer_again(world: World) -> None:
    await asked(world, 60)
    pending = await world.log.last(KEY.results)
    assert pending is not None
    before = await world.events()
    await world.another_engine().handle(Delivery(pending, 2))
    assert len(set(await times_set(world, EXPIRES))) == 1
    assert len(await times_set(world, EXPIRES)) == 2
    assert await world.events() == before


async def test_an_input_is_not_done_with_before_its_timer_is_set(world: World) -> None:
    schedule = MemoryLog()
    await schedule.close()
    world.schedule = schedule
    world.engine = world.another_engine()
    with pytest.raises(Transient):
        await runs_for_a_minute_at_most(world)


async def test_a_timer_that_the_server_refuses_is_no_reason_to_stop(world: World) -> None:
    class Strict(MemoryLog):
        async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
            raise Rejected("no such time")

    world.schedule = Strict()
    world.engine = world.another_engine()
    await runs_for_a_minute_at_most(world)
    assert (await world.state()).status is Status.RUNNING


async def test_a_question_that_nobody_answers_expires_and_the_session_goes_on(
    world: World, clock: MovableClock
) -> None:
    await asked(world, 60)
    clock.passes(60)
    await world.timers().handle(await comes_due(world, EXPIRES))
    await world.settle()
    cancelled, asked_again = (await world.events())[-2:]
    assert isinstance(cancelled, ev.ToolCallCancelled)
    assert (cancelled.call_id, cancelled.kind) == (CALL, "expired")
    assert isinstance(asked_again, ev.ModelCallRequested)
    assert (await replay(world.log, KEY)).difference is None


async def test_a_timer_that_is_delivered_again_or_to_several_tells_once(
    world: World, clock: MovableClock
) -> None:
    await asked(world, 60)
    clock.passes(61)
    due = await comes_due(world, EXPIRES)
    await asyncio.gather(*(world.timers().handle(due) for _ in range(3)))
    await world.timers().handle(await comes_due(world, EXPIRES, attempt=2))
    await world.settle()
    await world.timers().handle(await comes_due(world, EXPIRES, attempt=3))
    assert [(one.purpose, one.call_id) for one in await told(world)] == [("call_expiry", CALL)]


async def test_an_answer_in_time_makes_the_timer_needless(world: World, clock: MovableClock) -> None:
    await asked(world, 60)
    await world.happens(inputs.ToolResponse(call_id=CALL, response={"answer": "yes"}))
    await world.settle()
    clock.passes(61)
    await world.timers().handle(await comes_due(world, EXPIRES))
    assert await told(world) == []


async def test_an_answer_at_the_last_moment_counts_and_nothing_expires(
    world: World, clock: MovableClock
) -> None:
    await asked(world, 60)
    clock.passes(60)
    due = await comes_due(world, EXPIRES)
    append = world.log.append

    async def answered_first(message: NewMessage, expect: Expect | None = None) -> int:
        world.log.append = append  # type: ignore[method-assign]
        await world.happens(inputs.ToolResponse(call_id=CALL, response={"answer": "yes"}))
        return await append(message, expect)

    world.log.append = answered_first  # type: ignore[method-assign]
    await world.timers().handle(due)
    assert await told(world) == []
    call = (await world.state()).call(CALL)
    assert call is not None
    assert call.result == {"answer": "yes"}


async def test_a_timer_that_comes_early_by_our_clock_is_looked_at_again(
    world: World, clock: MovableClock
) -> None:
    await asked(world, 60)
    due = await comes_due(world, EXPIRES)
    for passed, retry_after in ((0, 60), (20, 40), (39.9, 0.1)):
        clock.passes(passed)
        with pytest.raises(Transient) as caught:
            await world.timers().handle(due)
        assert caught.value.retry_after == pytest.approx(retry_after)
    clock.passes(-3600)
    with pytest.raises(Transient) as caught:
        await world.timers().handle(due)
    assert caught.value.retry_after == 60
    assert await told(world) == []


async def test_a_session_that_runs_for_too_long_ends_in_words(world: World, clock: MovableClock) -> None:
    await runs_for_a_minute_at_most(world)
    assert await times_set(world, RUNS) == [rfc3339(clock.now() + timedelta(seconds=60))]
    clock.passes(60)
    await world.timers().handle(await comes_due(world, RUNS))
    await world.settle()
    assert (await world.events())[-1] == ev.Failed(kind="timeout", message="Timed out after 60s")


async def test_the_time_that_a_session_waits_is_added_to_its_timer(world: World, clock: MovableClock) -> None:
    begun = clock.now()
    await asked(world, 3600, run_timeout_s=60.0)
    stale = await comes_due(world, RUNS)
    clock.passes(600)
    await world.timers().handle(stale)
    await world.happens(inputs.ToolResponse(call_id=CALL, response={"answer": "yes"}))
    await world.settle()
    later = rfc3339(clock.now() + timedelta(seconds=60))
    assert await times_set(world, RUNS) == [rfc3339(begun + timedelta(seconds=60)), later]

    await world.timers().handle(stale)  # an engine that was away for a while had set this one again
    assert (await times_set(world, RUNS))[2:] == [later]
    assert await told(world) == []
    clock.passes(60)
    await world.timers().handle(await comes_due(world, RUNS))
    assert [one.purpose for one in await told(world)] == ["run_timeout"]


async def test_a_timer_of_a_session_that_was_erased_makes_no_new_one(world: World) -> None:
    nobody = Timer(AGENT, SessionId("s_gone"), "run_timeout", rfc3339(world.clock.now()))
    message = StoredMessage(1, subjects.due_subject(nobody.id), encode_timer(nobody), {})
    await world.timers().handle(Delivery(message, 1))
    assert await world.log.last_sequence() == 0


async def test_what_is_no_timer_is_given_up(world: World) -> None:
    await world.given(CREATED)
    for data in (b"", b'{"agent_id": "default"}'):
        with pytest.raises(Permanent):
            await world.timers().handle(Delivery(StoredMessage(1, f"due.{RUNS}", data, {}), 1))


@pytest.mark.parametrize("ahead_s", [3600, 86_400, 27 * 3600])
async def test_what_a_clock_that_was_ahead_put_off_leads_on_when_it_is_right(
    world: World, clock: MovableClock, ahead_s: int
) -> None:
    clock.passes(ahead_s)
    await asked(world, 60, retry_delays_s=(30.0,))
    timers = world.timers()
    clock.passes(-ahead_s)
    retry = Timer(AGENT, SessionId("s_2"), "retry", rfc3339(clock.now() + timedelta(seconds=ahead_s + 30)))
    await world.schedule.append(NewMessage(retry.subject, encode_timer(retry), retry.headers()))
    await timers.clock_was_set(timedelta(seconds=-ahead_s))
    [put_off, sooner] = [read_timer(one.data) async for one in world.schedule.read(retry.subject)]
    assert put_off == retry
    assert sooner.answered
    assert sooner.due_at == rfc3339(clock.now() + timedelta(seconds=30))
    assert len(await times_set(world, EXPIRES)) == 1, "what ends something comes late rather than early"


async def test_when_the_clock_was_set_nats_is_made_to_look_at_its_timers(
    world: World, clock: MovableClock
) -> None:
    await asked(world, 60)
    await world.timers().clock_was_set(timedelta(hours=1))
    delivery = await comes_due(world, "clock~run_timeout")
    assert decode_timer(delivery.message.subject, delivery.message.data).due_at < rfc3339(clock.now())
    await world.timers().handle(delivery)
    assert await told(world) == []


async def test_a_timer_that_the_server_lost_is_put_back_once(world: World) -> None:
    await asked(world, 60)
    (due_at,) = await times_set(world, EXPIRES)
    assert await _put_back(world) == 0
    await _lose(world, EXPIRES)
    elsewhere = [number for number in range(PARTITIONS) if number != partition_of(SESSION)]
    assert await world.timers().put_back(elsewhere) == 0
    assert [await _put_back(world) for _ in range(2)] == [1, 0]
    assert await times_set(world, EXPIRES) == [due_at]


async def test_a_timer_that_came_due_is_not_lost(world: World, clock: MovableClock) -> None:
    """Its session is told a moment later."""
    await asked(world, 60)
    last = await world.schedule.last(subjects.timer_subject(EXPIRES))
    assert last is not None
    await _lose(world, EXPIRES)
    await world.schedule.append(NewMessage(subjects.due_subject(EXPIRES), last.data, {}))
    assert await _put_back(world) == 0


async def test_an_answered_question_misses_no_timer(world: World) -> None:
    await asked(world, 60)
    await _lose(world, EXPIRES)
    await world.given(inputs.ToolResponse(CALL, {"answer": "Oslo"}))
    assert await _put_back(world) == 0


async def test_sessions_that_rest_are_not_folded_to_look_for_timers(world: World) -> None:
    await world.given(
        inputs.Created(agent_id=AGENT, token_limit=1000, title="t"), inputs.UserMessage(text="hi")
    )
    await world.result(answer("m000003"))
    await world.settle()
    assert (await world.state()).status is Status.IDLE

    class NeverAsked(FoldedSessions):
        async def newest(self, key: SessionKey) -> SessionState:
            raise AssertionError(key)

    assert await world.timers(NeverAsked(world.log)).put_back(range(PARTITIONS)) == 0
    await world.given(inputs.UserMessage(text="again"))
    with pytest.raises(AssertionError):
        await world.timers(NeverAsked(world.log)).put_back(range(PARTITIONS))


async def test_the_running_time_of_a_session_is_put_back_too(world: World) -> None:
    await runs_for_a_minute_at_most(world)
    await _lose(world, RUNS)
    assert await _put_back(world) == 1
    assert len(await times_set(world, RUNS)) == 1


async def _put_back(world: World) -> int:
    return await world.timers().put_back(range(PARTITIONS))


async def _lose(world: World, timer_id: str) -> None:
    assert isinstance(world.schedule, MemoryLog)
    async for message in world.schedule.read(subjects.timer_subject(timer_id)):
        world.schedule.lose(message.sequence)

"""The engine over the log: decisions appended once, whatever repeats, crashes or comes at the same time."""

import asyncio
from collections.abc import Callable

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Conflict, LogCorrupt
from agent_contracts.event_sources import Actor
from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import ReplayDifference
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_engine.world import AGENT, CREATED, EVERYTHING, KEY, SESSION, World, answer
from session_domain.domain.decide import decide
from session_domain.domain.state import Status
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions


async def test_a_message_leads_to_a_model_call_whose_request_says_who_serves_it() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    *_, started, last = [message async for message in world.log.read(EVERYTHING)]
    assert last.subject.endswith(".ev.model_call_requested.model")
    assert (started.sequence, started.part, last.sequence, last.part) == (3, 0, 3, 1)
    written = [one.envelope for one in (started, last) if one.envelope is not None]
    assert [(one.prev, one.causation) for one in written] == [(2, 2), (None, None)]


async def test_the_same_delivery_twice_decides_once() -> None:
    world = World()
    stored = await world.given(CREATED, inputs.UserMessage(text="hi"))
    before = await world.events()
    await world.engine.handle(Delivery(stored, 2))
    await world.another_engine().handle(Delivery(stored, 3))
    assert await world.events() == before


async def test_a_fresh_engine_goes_on_where_another_died_between_two_decisions() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    stored = await world.result(answer("m000003", "a", "b", "c"))

    appended = 0
    append = world.log.append

    async def append_once(message: NewMessage, expect: Expect | None = None) -> int:
        nonlocal appended
        appended += 1
        if appended > 1:
            raise ConnectionResetError
        return await append(message, expect)

    world.log.append = append_once  # type: ignore[method-assign]
    with pytest.raises(ConnectionResetError):
        await world.engine.handle(Delivery(stored, 1))
    world.log.append = append  # type: ignore[method-assign]
    await world.another_engine().handle(Delivery(stored, 2))
    requested = [e.call_id for e in await world.events() if isinstance(e, ev.ToolCallRequested)]
    assert requested == ["m000003-00", "m000003-01", "m000003-02"]


async def test_engines_that_decide_at_the_same_time_never_contradict_each_other() -> None:
    world = World()
    engines = [world.another_engine() for _ in range(4)]

    async def everybody_handles(stored: StoredMessage) -> None:
        await asyncio.gather(*(engine.handle(Delivery(stored, 1)) for engine in engines))

    await everybody_handles(await world.happens(CREATED))
    for turn in range(5):
        first, second = await asyncio.gather(
            world.happens(inputs.UserMessage(text=f"hi {turn}")),
            world.happens(inputs.UserMessage(text="and")),
        )
        await asyncio.gather(everybody_handles(second), everybody_handles(first))
        while (state := await FoldedSessions(world.log).newest(KEY)).status is Status.RUNNING:
            assert state.model_call is not None
            await everybody_handles(await world.result(answer(state.model_call.call_id)))
    report = await replay(world.log, KEY)
    assert report.difference is None
    assert report.decisions >= 15


async def test_a_conflict_makes_the_engine_see_what_it_missed_before_it_decides_again() -> None:
    world = World()
    await world.given(CREATED)
    stored = await world.happens(inputs.UserMessage(text="hi"))
    append = world.log.append
    interfered = False

    async def interfere(message: NewMessage, expect: Expect | None = None) -> int:
        nonlocal interfered
        if not interfered:
            interfered = True
            await append(
                event_message(
                    inputs.Archived(),
                    KEY.input(type_of(inputs.Archived)),
                    Origin(event_sources.GATEWAY, Actor.USER),
                    SystemClock(),
                )[0]
            )
        return await append(message, expect)

    world.log.append = interfere  # type: ignore[method-assign]
    await world.engine.handle(Delivery(stored, 1))
    assert isinstance((await world.events())[-1], ev.Completed)


async def test_cancelled_calls_are_told_to_those_who_work_on_them() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    stored = await world.result(answer("m000003", "look"))
    await world.engine.handle(Delivery(stored, 1))
    await world.given(inputs.Interrupted())
    assert world.told.messages == [(subjects.cancel_subject(SESSION), b"m000003-00")]


async def test_an_interrupted_model_call_is_told_too() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"), inputs.Interrupted())
    assert world.told.messages == [(subjects.cancel_subject(SESSION), b"m000003")]


async def test_a_hole_in_the_log_stops_the_session_and_says_where() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    assert isinstance(world.log, MemoryLog)
    world.log.lose(2)
    with pytest.raises(LogCorrupt, match="event 3 was decided after 2"):
        await FoldedSessions(world.log).newest(KEY)


async def test_a_session_that_cannot_be_folded_ends_in_an_error_that_says_so_once() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    assert isinstance(world.log, MemoryLog)
    world.log.lose(2)
    stored = await world.result(answer("m000003"))
    for _ in range(2):
        with pytest.raises(LogCorrupt):
            await world.another_engine().handle(Delivery(stored, 1))
    subject = KEY.decision(type_of(ev.Failed), None)
    [failed] = [message async for message in world.log.read(subject)]
    event = decode(failed).event
    assert isinstance(event, ev.Failed)
    assert event.kind == "log_corrupt"
    assert "event 3 was decided after 2" in event.message


async def test_an_append_with_a_stale_expectation_is_refused() -> None:
    world = World()
    await world.given(CREATED)
    started = ev.TurnStarted()
    message, _ = event_message(
        started, KEY.decision(type_of(started)), Origin(event_sources.ENGINE, prev=0), SystemClock()
    )
    with pytest.raises(Conflict):
        await world.log.append(message, Expect(EVERYTHING, 0))


async def test_a_session_as_of_a_sequence_is_exact_even_when_a_newer_fold_is_warm() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    sessions = FoldedSessions(world.log)
    newest = await sessions.newest(KEY)
    earlier = await sessions.at(KEY, 2)
    assert (earlier.last_sequence, earlier.status) == (2, Status.IDLE)
    assert await sessions.newest(KEY) == newest


async def test_a_full_cache_forgets_the_coldest_session_and_still_folds_it_right() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    sessions = FoldedSessions(world.log, warm=1)
    first = await sessions.newest(KEY)
    await sessions.newest(SessionKey(AGENT, SessionId("s_2")))
    assert await sessions.newest(KEY) == first


def changed(original: Callable[..., object]) -> Callable[..., object]:
    """Today's `decide` with one line changed: a turn that is over starts another model call."""

    def different(state: object) -> object:
        decision = original(state)
        return ev.Waiting(calls=()) if isinstance(decision, ev.BecameIdle) else decision

    return different


async def test_strict_replay_agrees_with_the_engine_that_wrote_the_log() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    await world.engine.handle(Delivery(await world.result(answer("m000003", "a", "b")), 1))
    report = await replay(world.log, KEY)
    assert (report.events, report.decisions, report.difference) == (7, 4, None)


async def test_strict_replay_reports_the_first_difference_when_a_line_of_decide_changed() -> None:
    world = World()
    await world.given(CREATED, inputs.UserMessage(text="hi"))
    await world.engine.handle(Delivery(await world.result(answer("m000003")), 1))
    report = await replay(world.log, KEY, changed(decide))  # type: ignore[arg-type]
    assert report.difference == ReplayDifference(
        "5",
        {"type": "foldline.session.became_idle.v1"},
        {"type": "foldline.session.waiting.v1", "calls": ()},
    )

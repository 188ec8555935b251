"""What a session waits for in vain ends in an honest event, and the session goes on."""

from collections.abc import Sequence

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId, child_session_id
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import HandleAgainCommand, UnstickCommand, UnstickReport
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect, RunsOn
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_engine.world import CREATED, KEY, SESSION, World
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import SessionState, Status
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions
from session_engine.repairing.redelivery import Redelivery
from session_engine.repairing.session_unsticker import SessionUnsticker


class Done:
    """`Work` that was acknowledged up to a sequence; None: there is no such consumer."""

    def __init__(self, floor: int | None) -> None:
        self.floor = floor

    async def acknowledged(self, consumer: str) -> int | None:
        """See the port."""
        return self.floor


async def look(
    world: World,
    floor: int | None = 10**9,
    *,
    act: bool = True,
    older_than_s: float = 0,
    given_up: tuple[int, ...] = (),
) -> UnstickReport:
    unsticking = SessionUnsticker(
        world.log, FoldedSessions(world.log), world.engine, Done(floor), SystemClock()
    )
    return await unsticking.look(KEY, UnstickCommand(SESSION, older_than_s, given_up, act))


async def asked() -> World:
    """A session that waits for the model."""
    world = World()
    await world.given(CREATED, inputs.UserMessage("hello"))
    return world


async def calling(effect: Effect = Effect.PURE, runs_on: RunsOn = RunsOn.TOOLS) -> tuple[World, CallId]:
    """A session that waits for a tool."""
    world = await asked()
    model_call = (await world.state()).model_call
    assert model_call is not None
    call = results.ResolvedCall(
        CallId(f"{model_call.call_id}-00"), "call_1", "send", {}, runs_on=runs_on, effect=effect
    )
    said = results.ModelCallCompleted(model_call.call_id, "", results.Usage(1, 1), "m", "0" * 64, 1, (call,))
    await world.result(said)
    await world.settle()
    return world, call.call_id


async def test_a_lost_model_call_ends_and_the_session_does_not_wait() -> None:
    world = await asked()
    [wait] = (await look(world)).waits
    assert (wait.what, wait.stuck, wait.event) == ("model_call", True, type_of(results.ModelCallFailed))
    await world.settle()
    assert (await world.state()).status is not Status.RUNNING


async def test_without_being_told_to_act_it_only_looks() -> None:
    world = await asked()
    before = await world.log.last_sequence()
    [wait] = (await look(world, act=False)).waits
    assert (wait.stuck, wait.event) == (True, None)
    assert await world.log.last_sequence() == before


@pytest.mark.parametrize(
    ("effect", "claimed", "kind"),
    [
        (Effect.PURE, False, ErrorKind.INTERNAL),
        (Effect.EXTERNAL, False, ErrorKind.INTERNAL),
        (Effect.EXTERNAL, True, ErrorKind.OUTCOME_UNKNOWN),
        (Effect.EXTERNAL_IDEMPOTENT, False, ErrorKind.OUTCOME_UNKNOWN),
    ],
)
async def test_a_lost_tool_call_ends_as_what_is_known_of_it(
    effect: Effect, claimed: bool, kind: ErrorKind
) -> None:
    world, call_id = await calling(effect)
    if claimed:
        await world.happens(results.CallClaimed(call_id, "runner"), KEY.claims)
    [wait] = (await look(world)).waits
    assert (wait.what, wait.name, wait.event) == ("tool_call", call_id, type_of(results.ToolCallFailed))
    await world.settle()
    state = await world.state()
    [call] = state.messages()[-1].tool_calls
    assert call.status is CallStatus.FAILED
    assert call.error is not None
    assert call.error.kind is kind
    assert state.model_call is not None  # the model is told
    assert (await replay(world.log, KEY)).difference is None


async def test_what_is_in_hand_or_fresh_or_served_by_nobody_is_left_alone() -> None:
    world, _ = await calling()
    before = await world.log.last_sequence()
    assert [wait.stuck for wait in (await look(world, floor=0)).waits] == [None]
    assert [wait.stuck for wait in (await look(world, floor=None)).waits] == [None]
    assert [wait.stuck for wait in (await look(world, older_than_s=60)).waits] == [False]
    assert await world.log.last_sequence() == before


async def test_a_request_of_which_there_is_a_dead_letter_is_lost_whatever_is_in_hand() -> None:
    world, _ = await calling()
    requested = (await world.state()).batch[0].requested
    assert requested is not None
    [wait] = (await look(world, floor=0, given_up=(requested,))).waits
    assert wait.event == type_of(results.ToolCallFailed)


async def test_a_result_that_comes_meanwhile_counts() -> None:
    world, call_id = await calling()
    stale = SessionUnsticker(
        world.log, _Stale(FoldedSessions(world.log)), world.engine, Done(10**9), SystemClock()
    )
    await stale.look(KEY, UnstickCommand(SESSION, 0))
    await world.result(results.ToolCallCompleted(call_id, "done", "r", duration_ms=1))
    [wait] = (await stale.look(KEY, UnstickCommand(SESSION, 0, act=True))).waits
    assert (wait.stuck, wait.event, wait.why) == (False, None, "its result came meanwhile")


class _Stale:
    """Sessions as they were when they were first read."""

    def __init__(self, sessions: FoldedSessions) -> None:
        self._sessions = sessions
        self._first: dict[SessionKey, SessionState] = {}

    async def newest(self, key: SessionKey) -> SessionState:
        if key not in self._first:
            self._first[key] = await self._sessions.newest(key)
        return self._first[key]

    async def at(self, key: SessionKey, sequence: int) -> SessionState:
        raise NotImplementedError

    async def at_and_after(self, key: SessionKey, sequence: int) -> tuple[SessionState, list[StoredMessage]]:
        raise NotImplementedError

    def follow(self, record: Sequence[StoredMessage]) -> SessionState | None:
        raise NotImplementedError


async def test_an_event_that_no_engine_took_up_is_taken_up() -> None:
    world = World()
    await world.happens(CREATED)
    await world.happens(inputs.UserMessage("hello"))
    [wait] = (await look(world)).waits
    assert (wait.what, wait.stuck) == ("decision", True)
    assert (await world.state()).model_call is not None


async def test_a_sub_session_that_is_gone_ends_for_its_parent() -> None:
    world = await asked()
    model_call = (await world.state()).model_call
    assert model_call is not None
    spawn = results.ResolvedCall(
        CallId(f"{model_call.call_id}-00"), "call_1", "spawn_session", {"task": "look"}, RunsOn.ENGINE
    )
    await world.happens(
        results.ModelCallCompleted(model_call.call_id, "", results.Usage(1, 1), "m", "0" * 64, 1, (spawn,)),
        KEY.results,
    )
    # The parent decides, and nobody makes the child.
    await world.engine.advance(KEY, await world.log.last_sequence())
    child = child_session_id(SESSION, spawn.call_id)
    found = [wait for wait in (await look(world)).waits if wait.what == "child"]
    assert [(wait.name, wait.event) for wait in found] == [(child, type_of(inputs.ChildFinished))]
    assert (await world.state()).children[0].status == "error"
    assert not [wait for wait in (await look(world)).waits if wait.what == "child"]


async def test_a_session_that_waits_for_nothing_is_not_stuck() -> None:
    world = World()
    await world.given(CREATED)
    assert await look(world) == UnstickReport(SESSION, "idle")


async def test_a_message_that_was_given_up_is_handled_again() -> None:
    world = World()
    await world.happens(CREATED)
    said = await world.happens(inputs.UserMessage("hello"))

    async def never(delivery: object) -> None:
        raise AssertionError(delivery)

    again = Redelivery(world.log, world.engine.handle, MemoryLog(), never)
    await again.handle(HandleAgainCommand("LOG", said.sequence))
    assert (await world.state()).model_call is not None
    for stream, sequence in (("LOG", 10**6), ("TIMER", 1), ("DLQ", 1)):
        with pytest.raises(Rejected):
            await again.handle(HandleAgainCommand(stream, sequence))

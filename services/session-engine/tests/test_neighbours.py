"""What a session's decisions mean for other sessions."""

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import CallId, SessionId, child_session_id
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import RunsOn
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.session_domain.counting_log import CountingLog
from foldline_testing.session_domain.story import all_calls
from foldline_testing.session_engine.world import AGENT, CREATED, KEY, SESSION, World
from session_domain.domain.state import Status
from session_domain.replay import replay


def asks_for(call_id: str, tool: str, **arguments: Json) -> results.ModelCallCompleted:
    """The model wants one of the engine's tools."""
    call = results.ResolvedCall(CallId(f"{call_id}-00"), "call_1", tool, arguments, RunsOn.ENGINE)
    return results.ModelCallCompleted(CallId(call_id), "", results.Usage(1, 1), "m", "0" * 64, 1, (call,))


def says(call_id: str, text: str) -> results.ModelCallCompleted:
    """The model answers with text."""
    return results.ModelCallCompleted(CallId(call_id), text, results.Usage(5, 5), "m", "0" * 64, 1)


async def happens_in(world: World, session_id: SessionId, event: results.Result | inputs.Input) -> None:
    """Something is appended to any session, and everybody works until nothing is left."""
    subject = subject_of(event, SessionKey(AGENT, session_id))
    message, _ = event_message(event, subject, origin_of(event), SystemClock())
    await world.log.append(message)
    await world.settle()


async def model_call_of(world: World, session_id: SessionId) -> CallId:
    """The id of the model call under way."""
    state = await world.state(session_id)
    assert state.model_call is not None, state.status
    return state.model_call.call_id


def notepad(session_id: SessionId) -> EntityKey:
    """A session's notepad."""
    return EntityKey(AGENT, EntityKind.NOTEPAD, session_id)


async def with_a_child(tool: str = "spawn_session") -> tuple[World, SessionId]:
    """A session that spawned another."""
    world = World()
    await happens_in(world, SESSION, CREATED)
    await happens_in(world, SESSION, inputs.UserMessage(text="hi"))
    call_id = await model_call_of(world, SESSION)
    await happens_in(world, SESSION, asks_for(call_id, tool, task="look"))
    return world, child_session_id(SESSION, CallId(f"{call_id}-00"))


async def test_a_spawned_session_is_a_session_like_any_other_one_deeper() -> None:
    world, child = await with_a_child()
    state = await world.state(child)
    assert (state.parent_id, state.depth, state.status) == (SESSION, 1, Status.RUNNING)
    assert [message.text for message in state.history] == ["look"]
    assert state.limits.run_timeout_s == 120.0


@pytest.mark.parametrize("browser", ["own", "parent"])
async def test_a_spawned_session_is_told_whose_browser_it_uses(browser: str) -> None:
    world = World()
    await happens_in(world, SESSION, CREATED)
    await happens_in(world, SESSION, inputs.UserMessage(text="hi"))
    call_id = await model_call_of(world, SESSION)
    await happens_in(world, SESSION, asks_for(call_id, "spawn_session", task="look", browser=browser))
    child = child_session_id(SESSION, CallId(f"{call_id}-00"))
    (created,) = [message async for message in world.log.read(f"ses.*.*.{child}.in.created")]
    assert msgspec.json.decode(created.data).get("browser", "own") == browser


async def test_a_spawned_session_begins_with_a_copy_of_the_notepad_if_that_was_asked_for() -> None:
    world = World()
    await happens_in(world, SESSION, CREATED)
    await happens_in(world, SESSION, inputs.UserMessage(text="hi"))
    entities = Entities(world.log, SystemClock(), event_sources.RUNNER)
    mine, both = {"text": "1. dig"}, {"copy_notepad": True, "task": "look"}
    await entities.write(notepad(SESSION), mine, EntityWriter.user("w1"))
    call_id = await model_call_of(world, SESSION)
    await happens_in(world, SESSION, asks_for(call_id, "spawn_session", **both))
    child = child_session_id(SESSION, CallId(f"{call_id}-00"))
    copied = await entities.current(notepad(child))
    created = [message.sequence async for message in world.log.read(f"ses.*.*.{child}.in.created")]
    assert copied is not None
    assert (copied.value, copied.sequence < created[0]) == (mine, True)

    await entities.write(notepad(child), {"text": "mine now"}, EntityWriter.user("w2"))
    async for spawned in world.log.read(f"ses.*.*.{SESSION}.ev.child_spawned"):
        await world.another_engine().handle(Delivery(spawned, 2))
    copied = await entities.current(notepad(child))
    assert copied is not None
    assert copied.value == {"text": "mine now"}


async def test_a_session_that_an_agent_forks_has_its_notepad_as_of_the_fork() -> None:
    world = World()
    await happens_in(world, SESSION, CREATED)
    entities = Entities(world.log, SystemClock(), event_sources.RUNNER)
    await entities.write(notepad(SESSION), "1. dig", EntityWriter.user("w1"))
    await happens_in(world, SESSION, inputs.UserMessage(text="hi"))
    call_id = await model_call_of(world, SESSION)
    await entities.write(notepad(SESSION), "later than the fork's point", EntityWriter.user("w2"))
    await happens_in(world, SESSION, asks_for(call_id, "fork_session", task="look"))
    child = child_session_id(SESSION, CallId(f"{call_id}-00"))
    assert (await world.state(child)).forked_from is not None
    copied = await entities.current(notepad(child))
    assert copied is not None
    assert copied.value == "1. dig"


async def test_spawning_twice_makes_one_child() -> None:
    world, child = await with_a_child()
    before = [m async for m in world.log.read(SessionKey(AGENT, child).everything)]
    spawned = [m async for m in world.log.read("ses.*.*.*.ev.child_spawned")]
    for attempt in (2, 3):
        await world.another_engine().handle(Delivery(spawned[0], attempt))
    assert [m async for m in world.log.read(SessionKey(AGENT, child).everything)] == before


async def test_a_worker_that_waits_for_another_is_no_session_until_that_is_over() -> None:
    tool = "wintermute.spawn_sub_session"
    world = World()
    await happens_in(world, SESSION, CREATED)
    await happens_in(world, SESSION, inputs.UserMessage(text="hi"))
    first = await model_call_of(world, SESSION)
    await happens_in(world, SESSION, asks_for(first, tool, objective="dig"))
    second = await model_call_of(world, SESSION)
    await happens_in(world, SESSION, asks_for(second, tool, objective="sum up", depends_on_previous=True))
    digging, held = (child_session_id(SESSION, CallId(f"{one}-00")) for one in (first, second))
    assert [m async for m in world.log.read(SessionKey(AGENT, held).everything)] == []
    report = asks_for(await model_call_of(world, digging), "report_result", result="gold")
    await happens_in(world, digging, report)
    assert [message.text for message in (await world.state(held)).history] == [
        f"sum up\n\n# Result of sub-session {digging}\n\ngold"
    ]


async def test_a_parent_that_waits_hears_what_its_child_reports() -> None:
    world, child = await with_a_child()
    waiting = asks_for(await model_call_of(world, SESSION), "wait_for_sessions", ids=[child])
    await happens_in(world, SESSION, waiting)
    assert (await world.state()).status is Status.WAITING_FOR_INPUT
    report = asks_for(await model_call_of(world, child), "report_result", result="found")
    await happens_in(world, child, report)
    parent = await world.state()
    assert parent.status is Status.RUNNING
    assert all_calls(parent)[-1].result == {
        "results": [{"id": child, "status": "completed", "result": "found"}]
    }
    assert parent.children[0].tokens == 2


async def test_an_end_that_is_told_twice_is_heard_once() -> None:
    world, child = await with_a_child()
    await happens_in(world, child, asks_for(await model_call_of(world, child), "report_result", result="x"))
    ended = [m async for m in world.log.read("ses.*.*.*.ev.completed")]
    await world.another_engine().handle(Delivery(ended[0], 2))
    heard = [m async for m in world.log.read("ses.*.*.*.in.child_finished")]
    assert len(heard) == 1


async def test_a_childs_error_reaches_its_parent_in_words() -> None:
    world, child = await with_a_child()
    failed = results.ModelCallFailed(
        await model_call_of(world, child), results.ModelFailure.OVERLOADED, "too busy", "m"
    )
    await happens_in(world, child, failed)
    assert [(one.status, one.error) for one in (await world.state()).children] == [("error", "too busy")]


async def test_archiving_a_parent_ends_its_live_children_and_theirs() -> None:
    world, child = await with_a_child()
    call_id = await model_call_of(world, child)
    await happens_in(world, child, asks_for(call_id, "spawn_session", task="deeper"))
    grandchild = child_session_id(child, CallId(f"{call_id}-00"))
    await happens_in(world, SESSION, inputs.Archived())
    for session_id in (SESSION, child, grandchild):
        assert (await world.state(session_id)).status is Status.COMPLETED, session_id


async def test_a_forked_child_knows_what_was_said_and_then_works_on_its_task() -> None:
    world, child = await with_a_child("fork_session")
    state = await world.state(child)
    assert [message.text for message in state.history] == ["hi", "look"]
    assert state.forked_from is not None
    assert state.forked_from.session_id == SESSION
    assert state.status is Status.RUNNING


async def test_the_fold_of_every_session_is_what_a_strict_replay_decides() -> None:
    world, child = await with_a_child("fork_session")
    await happens_in(world, child, asks_for(await model_call_of(world, child), "report_result", result="x"))
    await happens_in(world, SESSION, says(await model_call_of(world, SESSION), "done"))
    for session_id in (SESSION, child):
        report = await replay(world.log, SessionKey(AGENT, session_id))
        assert report.difference is None
        assert report.decisions >= 3


async def test_a_rewind_goes_through_the_log_and_replays() -> None:
    world = World()
    await happens_in(world, SESSION, CREATED)
    await happens_in(world, SESSION, inputs.UserMessage(text="one"))
    await happens_in(world, SESSION, says(await model_call_of(world, SESSION), "re: one"))
    first = (await world.state()).last_sequence
    await happens_in(world, SESSION, inputs.UserMessage(text="two"))
    await happens_in(world, SESSION, inputs.RewindRequested(to=first, parts=("conversation",)))
    state = await world.state()
    assert [message.text for message in state.messages()] == ["one", "re: one"]
    assert isinstance((await world.events())[-1], ev.Rewound)
    assert (await replay(world.log, KEY)).difference is None


async def test_going_back_and_forth_again_and_again_reads_each_event_once_for_each_time() -> None:
    """Every rewind leads to a past that holds all rewinds before it."""
    log = CountingLog()
    world = World(log)
    await happens_in(world, SESSION, CREATED)
    await happens_in(world, SESSION, inputs.UserMessage(text="one"))
    await happens_in(world, SESSION, says(await model_call_of(world, SESSION), "re: one"))
    times = 30
    for _ in range(times):
        before = (await world.state()).last_sequence
        await happens_in(world, SESSION, inputs.RewindRequested(to=before, parts=("conversation",)))
    log.reads = 0
    state = await world.state()
    assert [message.text for message in state.messages()] == ["one", "re: one"]
    assert log.reads <= 2 * times * state.position

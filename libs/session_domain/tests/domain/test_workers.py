"""Workers that wait for others or for a time: held in the fold, released by it, none for ever."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, SessionId, child_session_id
from agent_contracts.outside import source
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ResolvedCall, ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.story import SESSION, Story, answers, current_call, says, story, wants
from session_domain.domain.state import Status
from session_domain.domain.timers import timers

TOOL = "wintermute.spawn_sub_session"


def wanted(told: Story, index: int = 0, **arguments: Any) -> ResolvedCall:
    arguments = {"objective": "dig", **arguments}
    return wants(told, TOOL, index, runs_on=RunsOn.ENGINE, arguments=arguments)


def worker(told: Story, index: int = 0) -> SessionId:
    return child_session_id(SESSION, CallId(f"{current_call(told)}-{index:02d}"))


def finished(child: SessionId, at: int = 900, **how: Any) -> inputs.ChildFinished:
    given: dict[str, Any] = {"child_id": child, "status": "completed", "result": "gold", "at": at} | how
    return inputs.ChildFinished(**given)


def spawned(told: Story, *calls: dict[str, Any]) -> list[SessionId]:
    """The model spawns these in one answer; their ids."""
    ids = [worker(told, index) for index in range(len(calls))]
    told.given(answers(told, "", [wanted(told, index, **one) for index, one in enumerate(calls)]))
    return ids


def released(told: Story) -> list[SessionId]:
    """The workers that have begun, in order."""
    events = [one.event for one in told.recorded]
    return [one.child_id for one in events if isinstance(one, ev.ChildSpawned) and one.waits is None]


def results(told: Story) -> list[Any]:
    return [one.event.result for one in told.recorded if isinstance(one.event, ToolCallCompleted)]


def test_without_anything_to_wait_for_it_begins_at_once_as_it_was_asked_to() -> None:
    told = story(100_000).given(says())
    (child,) = spawned(told, {"context_blobs": ["one", "two"], "timeout": 60})
    (begun,) = [one.event for one in told.recorded if isinstance(one.event, ev.ChildSpawned)]
    assert begun.task == "dig\n\n# Context 1\n\none\n\n# Context 2\n\ntwo"
    assert (begun.mode, begun.run_timeout_s, begun.waits) == ("minimal", 60.0, None)
    assert results(told) == [{"status": "spawned", "session_id": child}]


def test_one_that_depends_on_others_is_held_until_all_have_finished_and_gets_what_they_found() -> None:
    told = story(100_000).given(says())
    first, second = spawned(told, {}, {"objective": "look"})
    told.given(answers(told, "Off they go.", []))
    told.given(says("and then?"))
    (third,) = spawned(told, {"objective": "sum up", "depends_on": [first, second]})
    assert results(told)[-1] == {"status": "waiting", "session_id": third}
    assert third not in released(told)
    told.given(finished(first, 900, outside=(source("web", "a.test"),)))
    assert third not in released(told)
    told.given(finished(second, 901, status="error", result=None, error="no shovel"))
    assert released(told)[-1] == third
    begun = told.recorded[-1].event
    assert isinstance(begun, ev.ChildSpawned)
    assert begun.task == (
        f"sum up\n\n# Result of sub-session {first}\n\ngold\n\n# Sub-session {second} failed\n\nno shovel"
    )
    assert [one.name for one in begun.outside] == ["a.test"], "and so may its own words be from there"


def test_depends_on_previous_means_all_that_were_spawned_before() -> None:
    told = story(100_000).given(says())
    first, second, third = spawned(told, {}, {}, {"depends_on_previous": True})
    assert released(told) == [first, second]
    told.given(finished(second), finished(first, 901))
    assert released(told) == [first, second, third]


def test_ids_that_there_are_not_are_dropped_and_said() -> None:
    told = story(100_000).given(says())
    (child,) = spawned(told, {"depends_on": ["s_imagined", "s_imagined", "another"]})
    assert released(told) == [child]
    (answer,) = results(told)
    assert answer["status"] == "spawned"
    assert "no sub-session of yours called s_imagined, another" in answer["warning"]


def test_what_finished_before_is_given_at_once() -> None:
    told = story(100_000).given(says())
    (first,) = spawned(told, {})
    told.given(finished(first), answers(told, "Well.", []), says("more"))
    (second,) = spawned(told, {"depends_on": [first]})
    assert released(told) == [first, second]


def test_it_is_held_until_its_time_even_if_nothing_else_is_missing() -> None:
    told = story(100_000).given(says())
    (child,) = spawned(told, {"not_before": "2026-03-29T10:30:00+02:00"})
    assert released(told) == []
    (timer,) = [one for one in timers(told.state) if one.purpose == "child_start"]
    assert timer.due_at == "2026-03-29T08:30:00.000Z"
    told.given(inputs.TimerDue(timer.id, "child_start", timer.call_id))
    assert released(told) == [child]
    assert not [one for one in timers(told.state) if one.purpose == "child_start"]


def test_it_begins_while_its_parent_is_idle_and_not_once_that_has_ended() -> None:
    told = story(100_000).given(says())
    first, second = spawned(told, {}, {"depends_on_previous": True})
    told.given(answers(told, "Off they go.", []))
    assert told.state.status is Status.IDLE
    told.given(finished(first))
    assert released(told)[-1] == second
    assert told.state.status is Status.IDLE, "nobody has to be asked for that"
    other = story(100_000).given(says())
    one, two = spawned(other, {}, {"depends_on_previous": True})
    other.given(answers(other, "Off they go.", []), inputs.Archived(), finished(one))
    assert two not in released(other)


def test_a_planned_one_that_was_rewound_never_begins() -> None:
    told = story(100_000).given(says())
    (first,) = spawned(told, {})
    told.given(answers(told, "Off it goes.", []))
    at = told.state.last_sequence
    told.given(says("and then?"))
    (child,) = spawned(told, {"not_before": "2026-03-29T10:30:00Z"})
    told.given(answers(told, "It will.", []))
    assert told.state.child(child) is not None
    told.given(inputs.RewindRequested(at, ("conversation",)))
    assert told.state.child(child) is None
    assert told.state.child(first) is not None, "who lives stays"
    assert not timers(told.state)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"objective": ""}, "/objective"),
        ({"timeout": 0}, "/timeout"),
        ({"system_prompt_mode": "huge"}, "/system_prompt_mode"),
        ({"not_before": "tomorrow"}, "/not_before"),
        ({"not_before": "2026-03-29T10:30:00"}, "/not_before"),
        ({"depends_on": "s_1"}, "/depends_on"),
        ({"priority": 1}, None),
    ],
)
def test_what_it_does_not_take_is_refused(arguments: dict[str, Any], path: str | None) -> None:
    told = story(100_000).given(says())
    spawned(told, arguments)
    (failed,) = [one.event for one in told.recorded if isinstance(one.event, ToolCallFailed)]
    assert (failed.error.kind, failed.error.path) == (ErrorKind.INVALID_ARGUMENTS, path)


def test_workers_nest_two_deep() -> None:
    told = story(100_000, depth=2).given(says())
    spawned(told, {})
    (failed,) = [one.event for one in told.recorded if isinstance(one.event, ToolCallFailed)]
    assert "2 deep" in failed.error.message


def test_of_ten_that_depend_on_each_other_each_begins_once_after_what_it_waits_for() -> None:
    told = story(1_000_000).given(says())
    begins: list[list[int]] = [[], [], [0], [0, 1], [2], [2, 3], [4, 5], [1], [6, 7], [8]]
    ids: list[SessionId] = []
    for number, after in enumerate(begins):
        (child,) = spawned(told, {"objective": f"part {number}", "depends_on": [ids[one] for one in after]})
        ids.append(child)
    over: list[SessionId] = []
    while len(over) < len(ids):
        under_way = [one for one in released(told) if one not in over]
        assert under_way, "none is held for ever"
        done = under_way[-1]
        failed = len(over) % 3 == 2
        how = {"status": "error", "result": None, "error": "lost"} if failed else {}
        told.given(finished(done, 9_000 + len(over), **how))
        over.append(done)
        for child in released(told):
            waited = [ids[one] for one in begins[ids.index(child)]]
            assert all(one in over for one in waited)
    assert sorted(released(told)) == sorted(ids), "each once"

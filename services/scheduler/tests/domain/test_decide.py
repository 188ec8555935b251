"""When a run's session has ended, and what a step is: by the domain alone."""

from datetime import timedelta
from typing import Literal

import msgspec
import pytest

from agent_contracts.entities.schedules import StartedRun, StoredSchedule, StoredScheduleRun, WaitingRun
from agent_contracts.ids import SessionId
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallFailed, ModelFailure
from agent_domain.schedules.runs import MOST_WAITING
from foldline_testing.scheduler.world import START
from foldline_testing.session_domain.story import Story, answers, current_call, says, story
from scheduler.domain.decide import (
    MOST_RUNNING,
    RunEnd,
    ScheduleStanding,
    ScheduleStep,
    ended,
    is_of_a_run,
    next_step,
    refused,
    run_session_id,
)
from session_domain.domain.state import SessionState

BEFORE = START - timedelta(hours=1)
DUE = "2026-03-02T08:00:00.000Z"
HOURLY = StoredSchedule("n", "t", cron="0 * * * *")


def failed(told: Story, *, retryable: bool) -> Story:
    call = current_call(told)
    return told.given(ModelCallFailed(call, ModelFailure.UNREACHABLE, "no answer", "m", retryable=retryable))


def test_a_session_that_was_asked_nothing_yet_or_works_goes_on() -> None:
    assert ended(story().given(says()).state) is None


def test_one_that_answered_succeeded_and_one_that_was_stopped_did_not_fail() -> None:
    told = story().given(says())
    told.given(answers(told, "done"))
    assert ended(told.state) == RunEnd("succeeded")
    stopped = story().given(says(), inputs.Interrupted())
    assert ended(stopped.state) == RunEnd("stopped", "a person stopped it")


def test_a_failed_turn_that_will_go_on_is_no_end_and_one_that_will_not_is() -> None:
    assert ended(failed(story(retry_delays_s=(30.0,)).given(says()), retryable=True).state) is None
    assert ended(failed(story(retry_delays_s=()).given(says()), retryable=False).state) == RunEnd(
        "failed", "no answer"
    )


def test_one_that_is_gone_was_stopped() -> None:
    assert ended(SessionState(SessionId("st_1"))) == RunEnd("stopped", "its session was erased")


def test_the_session_of_a_run_is_the_same_for_all_who_begin_it() -> None:
    ids = {run_session_id("t_1", WaitingRun(DUE)) for _ in range(3)}
    assert len(ids) == 1
    assert all(map(is_of_a_run, ids))
    others = {run_session_id("t_2", WaitingRun(DUE)), run_session_id("t_1", WaitingRun(DUE, by_hand=True))}
    assert len(ids | others) == 3
    assert not is_of_a_run(SessionId("s_1"))


@pytest.mark.parametrize("overlap", ["queue", "parallel"])
def test_what_waits_and_what_runs_is_bounded(overlap: str) -> None:
    running = tuple(StartedRun(DUE, SessionId(f"st_{number}")) for number in range(MOST_RUNNING))
    waiting = (WaitingRun(DUE),) * MOST_WAITING
    last = StoredScheduleRun(
        DUE, "started", running=running, waiting=waiting, decided="2026-03-02T07:00:00.000Z"
    )
    schedule = msgspec.structs.replace(HOURLY, overlap=overlap)
    step = next_step("t_1", ScheduleStanding(schedule, BEFORE, last), START)
    assert isinstance(step, ScheduleStep)
    assert step.run.outcome == "skipped"
    assert (step.run.running, step.run.waiting) == (running, waiting)


def test_a_run_that_may_not_begin_has_failed_and_counts() -> None:
    last = StoredScheduleRun(DUE, "failed", failures=4, decided="2026-03-02T07:00:00.000Z")
    step = next_step("t_1", ScheduleStanding(HOURLY, BEFORE, last), START)
    assert isinstance(step, ScheduleStep)
    assert step.starts is not None
    over = refused(HOURLY, step, "the agent has used up its day")
    assert (over.run.outcome, over.run.failures, over.run.running) == ("failed", 5, ())
    assert over.run.session_id is None
    assert over.starts is None
    assert over.pauses is not None
    assert "the agent has used up its day" in over.pauses


@pytest.mark.parametrize(("outcome", "failures"), [("succeeded", 0), ("stopped", 2), ("failed", 3)])
def test_failures_in_a_row_are_counted_and_a_stopped_run_is_none_and_ends_none(
    outcome: Literal["succeeded", "stopped", "failed"], failures: int
) -> None:
    running = StartedRun(DUE, SessionId("st_1"))
    last = StoredScheduleRun(
        DUE, "started", running=(running,), failures=2, decided="2026-03-02T07:00:00.000Z"
    )
    told = ScheduleStanding(HOURLY, BEFORE, last, {running.session_id: RunEnd(outcome)})
    step = next_step("t_1", told, START)
    assert isinstance(step, ScheduleStep)
    assert (step.run.failures, step.run.outcome) == (failures, outcome)

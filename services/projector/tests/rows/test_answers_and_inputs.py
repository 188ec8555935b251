"""What rarer events make of rows: answers to approvals, results that come late, who said a message."""

import json
from datetime import datetime
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.policies import Match, PolicyJudgement, Verdict
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import CallClaimed, Usage
from agent_contracts.tool_spec import Effect
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import SESSION, Story, answers, responds, says, story, wants
from projections.session_tables import MESSAGES, SESSIONS, TOOL_CALLS

JUDGED = PolicyJudgement(Verdict.ASK, "It sends something out", 3, Match(tool="fetch_url"))
CALL = CallId("m000003-00")


def tables(told: Story) -> MemoryTables:
    return MemoryTables().fold(as_messages(told.recorded, SESSION))


def call(told: Story) -> Any:
    return tables(told).rows(TOOL_CALLS)[(SESSION, CALL)]


def asking() -> Story:
    """A session that waits for a yes to its one call, from its 5th second on."""
    told = story().given(says())
    wanted = wants(told, "fetch_url", arguments={"to": "a"}, effect=Effect.EXTERNAL, judged=JUDGED)
    told.after(5).given(answers(told, calls=[wanted]))
    assert call(told).status == "pending"
    return told.after(5)


@pytest.mark.parametrize("change", [None, {"to": "b"}])
def test_a_call_that_is_approved_runs_with_what_was_approved(change: dict[str, Json] | None) -> None:
    answer: dict[str, Json] = {"decision": "once"} | ({"arguments": change} if change else {})
    told = asking().given(responds(CALL, answer))
    row = call(told)
    assert (row.status, json.loads(row.arguments)) == ("requested", change or {"to": "a"})
    assert (json.loads(row.answer), row.runner) == (answer, None)
    assert (row.result, row.error, row.finished_at) == (None, None, None)
    assert row.requested_at == datetime.fromisoformat(told.now)
    told.add(CallClaimed(CALL, "runner_1"))
    assert (call(told).status, call(told).runner) == ("running", "runner_1")


def test_a_call_that_is_approved_and_not_requested_yet_is_planned() -> None:
    told = asking()
    told.add(responds(CALL, {"decision": "once"}))
    assert call(told).status == "planned"


def test_a_call_that_is_refused_has_failed_with_the_persons_reason() -> None:
    told = asking()
    told.add(responds(CALL, {"decision": "refuse", "reason": "Not today."}))
    row = call(told)
    assert (row.status, json.loads(row.error)["kind"]) == ("failed", "refused")
    assert "Not today." in json.loads(row.error)["message"]
    assert json.loads(row.answer)["decision"] == "refuse"
    assert row.result_place == told.recorded[-1].address.place
    assert row.finished_at == datetime.fromisoformat(told.now)


def test_a_yes_that_comes_after_its_run_ends_the_call_which_has_to_be_made_again() -> None:
    told = story().given(says())
    told.given(answers(told, calls=[wants(told, "run_sandbox_code")]))
    told.given(results.ToolCallPending(CALL, {"kind": "approval", "covers": {"tool": "a"}}, "r"))
    told.add(responds(CALL, {"decision": "once"}))
    row = call(told)
    assert (row.status, json.loads(row.error)["kind"]) == ("failed", "approval_needed")


@pytest.mark.parametrize(
    "late",
    [
        results.ToolCallCompleted(CALL, "late", "r", usage=Usage(30, 10)),
        results.ToolCallFailed(CALL, ToolError(ErrorKind.UPSTREAM, "gone"), "r", usage=Usage(30, 10)),
        results.ToolCallPending(CALL, {"kind": "approval"}, "r", usage=Usage(30, 10)),
    ],
)
def test_a_result_that_comes_too_late_is_paid_for_and_changes_nothing_else(late: results.Result) -> None:
    told = story().given(says())
    told.given(answers(told, calls=[wants(told, "look")], tokens=1), inputs.Interrupted())
    before = call(told)
    told.add(late)
    after = call(told)
    assert (after.status, after.result, after.error) == ("cancelled", None, before.error)
    assert json.loads(after.accounting)["usage"]["input"] == 30
    session = tables(told).rows(SESSIONS)[(SESSION,)]
    assert json.loads(session.usage)["tokens"] == 41


SAID = [
    (inputs.ReminderDue("r_1", "call Ann"), "call Ann", {"source": "reminder"}),
    (
        inputs.ReminderDue("r_1", "call Ann", late="It was due at 9."),
        "call Ann\n\nIt was due at 9.",
        {"source": "reminder"},
    ),
    (
        inputs.Woken("ci", "red", "17", wake_type="build.failed"),
        "red",
        {"woken_by": "ci", "wake_type": "build.failed"},
    ),
    (inputs.OutcomeSettled(CALL, True, "It was sent."), "It was sent.", {"source": "outcome"}),
    (inputs.UserMessage("hi", client="desk"), "hi", {"client": "desk"}),
    (
        inputs.UserMessage("hi", prompt=inputs.FromPrompt("trips", "plan", {"to": "Oslo"})),
        "hi",
        {"prompt": {"server": "trips", "name": "plan", "arguments": {"to": "Oslo"}}},
    ),
]


@pytest.mark.parametrize(("event", "text", "body"), SAID)
def test_a_message_tells_who_said_it(event: inputs.Input, text: str, body: dict[str, Json]) -> None:
    told = story()
    told.add(event)
    [message] = tables(told).rows(MESSAGES).values()
    assert (message.role, message.text, json.loads(message.body)) == ("user", text, {"files": []} | body)

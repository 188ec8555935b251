"""A delegate that is asked in the background: by a sub-session."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, child_session_id
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.story import SESSION, Story, answers, current_call, says, story, wants

TOOL = "protoagent.delegate_in_background"


def asked(told: Story, **arguments: Any) -> Story:
    call = wants(told, TOOL, 0, runs_on=RunsOn.ENGINE, arguments=arguments)
    return told.given(answers(told, "", [call]))


def test_the_call_is_over_at_once_and_a_sub_session_asks_the_delegate() -> None:
    told = story(100_000).given(says())
    child = child_session_id(SESSION, CallId(f"{current_call(told)}-00"))
    asked(told, target="scout", query='Say "hi"', background=True)
    (begun,) = [one.event for one in told.recorded if isinstance(one.event, ev.ChildSpawned)]
    assert begun.child_id == child
    assert '{"target":"scout","query":"Say \\"hi\\""}' in begun.task
    assert begun.task.startswith("Call the tool delegate_to once")
    (done,) = [one.event for one in told.recorded if isinstance(one.event, ToolCallCompleted)]
    assert done.result == (
        f"scout is asked in the background, by the sub-session {child}: wait_for_sessions has its answer."
    )


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"query": "x"}, ErrorKind.INVALID_ARGUMENTS),
        ({"target": "scout", "query": ""}, ErrorKind.INVALID_ARGUMENTS),
        ({"target": "scout", "query": "x", "to": "y"}, ErrorKind.INVALID_ARGUMENTS),
    ],
)
def test_what_is_missing_too_much_or_wrong_is_refused(arguments: dict[str, Any], kind: str) -> None:
    told = asked(story(100_000).given(says()), **arguments)
    (failed,) = [one.event for one in told.recorded if isinstance(one.event, ToolCallFailed)]
    assert failed.error.kind == kind

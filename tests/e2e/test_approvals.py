"""Calls that run only with a person's yes: on a real Foldline, whichever service is killed meanwhile.

`make chaos` kills each of them fifty times: `tests/chaos/test_approvals.py`.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from foldline_testing.product.chaos.approval_kills import EVERY, kill_around_approvals
from foldline_testing.product.chaos.approvals import NOTE, Asking, asking
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command
from foldline_testing.product.replaying import every_session_replays

_WAITING = 12
pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def person(processes: Stage) -> Iterator[Asking]:
    with asking(processes) as person:
        yield person


@pytest.mark.parametrize("name", EVERY)
async def test_a_process_is_killed_while_it_is_asked_and_around_the_answers(
    name: str, person: Asking, processes: Stage
) -> None:
    async with processes.view() as view:
        print(await kill_around_approvals(person, view, name, wanted=3))


def test_on_a_terminal_and_always_is_the_policy(person: Asking, processes: Stage, tmp_path: Path) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    session, call = person.asked()
    deadline = time.monotonic() + 30
    while call not in foldline("approvals").out:
        assert time.monotonic() < deadline
    assert NOTE in foldline("approvals", "show", f"{session}/{call}").out
    foldline("approvals", "always", f"{session}/{call}")
    assert person.ended(session)["status"] == "completed"
    assert person.acts(session) == 1
    policy = person.door.get("/agents/default/policy")
    assert [rule["verdict"] for rule in policy["rules"]] == ["allow", "ask"]
    assert person.ended(person.begun())["status"] == "completed", "it asks no more"
    with pytest.raises(Rejected):
        person.say(session, call, {"decision": "once"}, "late")
    assert "version" in foldline("policy", "--json").out
    foldline("policy", "--back-to", "1")


def test_always_releases_what_waits_for_the_same_and_says_how_many(
    person: Asking, processes: Stage, tmp_path: Path
) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    sessions = [person.begun() for _ in range(_WAITING)]
    calls = [person.asked(session)[1] for session in sessions]
    other, _ = person.asked(person.begun("run"))
    named = f"{sessions[0]}/{calls[0]}"
    deadline = time.monotonic() + 30
    while len(foldline("approvals", "--json").json) < _WAITING + 1:
        assert time.monotonic() < deadline
    done = foldline("approvals", "always", named)
    assert f"Allowed (always), and {_WAITING - 1} others that this rule allows" in done.out, done
    for session in sessions:
        assert person.ended(session)["status"] == "completed"
        assert person.acts(session) == 1
    answers = person.door.get(f"/sessions/{sessions[1]}/events", type="tool_response")["items"]
    said = [one["body"]["response"] for one in answers]
    assert said == [{"decision": "once", "reason": f"By a rule: allowed always, in chat {sessions[0]}"}]
    assert person.door.get(f"/sessions/{other}/state")["status"] == "waiting_for_input"
    person.door.post(f"/sessions/{other}:interrupt")
    foldline("policy", "--back-to", "1")


def test_what_was_decided_replays(person: Asking, processes: Stage) -> None:
    every_session_replays(processes.stack)

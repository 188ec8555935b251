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


def test_what_was_decided_replays(person: Asking, processes: Stage) -> None:
    every_session_replays(processes.stack)

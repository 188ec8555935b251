"""Kill -9 each process before and after each step of approvals: at most once, never unapproved."""

import os
import signal
from collections.abc import Iterator

import pytest

from foldline_testing.product.chaos.approval_kills import AT_ONCE, EVERY, kill_around_approvals
from foldline_testing.product.chaos.approvals import Asking, asking
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.replaying import every_session_replays

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

KILLS = 50


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("approving"), replicas=AT_ONCE) as started:
        yield started


@pytest.fixture(scope="module")
def person(killed: Stage) -> Iterator[Asking]:
    with asking(killed) as person:
        yield person


@pytest.mark.parametrize("name", EVERY)
async def test_it_is_killed_around_approvals(name: str, person: Asking, killed: Stage) -> None:
    async with killed.view() as view:
        print(f"{name}:", await kill_around_approvals(person, view, name, KILLS))


def test_what_was_decided_replays_also_right_after_postgres_was_killed(person: Asking, killed: Stage) -> None:
    session, call = person.asked()
    person.say(session, call, {"decision": "once"}, f"yes-{session}-{call}")
    assert person.approved(session)
    for process in killed.stack.pids("postgres"):
        os.kill(process, signal.SIGKILL)
    every_session_replays(killed.stack)

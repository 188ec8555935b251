"""Kill -9 each service around approvals, fifty times each: at most once, never unapproved."""

from collections.abc import Iterator

import pytest

from foldline.testing.chaos.approvals import EVERY, Asking, AskingForCommands, asking, asking_for_commands
from foldline.testing.chaos.stage import Stage, stage
from foldline.testing.replaying import every_session_replays

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

ROUNDS = 17
"""Of three kills."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("approving")) as started:
        yield started


@pytest.fixture
def commands(killed: Stage) -> Iterator[AskingForCommands]:
    with asking_for_commands(killed) as commands:
        yield commands


@pytest.fixture(scope="module")
def person(killed: Stage) -> Iterator[Asking]:
    with asking(killed) as person:
        yield person


@pytest.mark.parametrize("name", EVERY)
def test_it_is_killed_around_approvals(name: str, person: Asking) -> None:
    person.kills(name, ROUNDS)


def test_the_workspace_host_is_killed_around_approvals_of_commands(commands: AskingForCommands) -> None:
    commands.kills("workspace-host", ROUNDS)


def test_what_was_decided_replays(person: Asking, killed: Stage) -> None:
    every_session_replays(killed.stack)

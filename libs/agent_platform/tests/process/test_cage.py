"""A cage takes its steps in order, and tells what it got, what it lacks, and what of that it had to have."""

import resource

import pytest

from agent_platform.process.cage.cage import Cage, Step
from agent_platform.process.cage.steps import CageUnavailable, limit


def refuse(error: Exception) -> None:
    raise error


def test_a_step_that_fails_is_left_out_and_told_with_its_reason() -> None:
    taken: list[str] = []
    given: list[Step] = [
        ("first", lambda: taken.append("first")),
        ("no such thing", lambda: refuse(CageUnavailable("only Linux has it"))),
        ("refused", lambda: refuse(PermissionError(1, "not permitted"))),
        ("last", lambda: taken.append("last")),
    ]
    found = Cage(given, must=("last", "refused")).enter()
    assert taken == found.got == ["first", "last"]
    assert found.lacks == ["no such thing: only Linux has it", "refused: [Errno 1] not permitted"]
    assert found.missing == ["refused: [Errno 1] not permitted"]


def test_a_bug_in_a_step_is_no_lack() -> None:
    with pytest.raises(ZeroDivisionError):
        Cage([("broken", lambda: refuse(ZeroDivisionError()))]).enter()


def test_no_limit_is_set_above_what_the_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[tuple[int, tuple[int, int]]] = []
    hard = {resource.RLIMIT_NOFILE: 100, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda what: (0, hard[what]))
    monkeypatch.setattr(resource, "setrlimit", lambda what, most: wanted.append((what, most)))
    limit((resource.RLIMIT_NOFILE, 8192), (resource.RLIMIT_DATA, 5))
    assert wanted == [(resource.RLIMIT_NOFILE, (100, 100)), (resource.RLIMIT_DATA, (5, 5))]

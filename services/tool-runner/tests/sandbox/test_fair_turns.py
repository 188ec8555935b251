"""Whoever has many runs gets no more of a worker than whoever has one."""

import asyncio
from pathlib import Path

import pytest

from tool_runner.sandbox.memory import Holder
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.rotation import Rotation
from tool_runner.sandbox.sandbox import Sandbox

SHORT = "let n = 0; for (let i = 0; i < 2e5; i++) n = (n * 31 + i) % 1000003; return n"
LONG = SHORT.replace("2e5", "2e6")
MANY = 60


def filled(**owners: int) -> tuple[Rotation, dict[int, str]]:
    """A queue in which owners have so many runs, and whose each is."""
    queue, whose = Rotation(), dict[int, str]()
    for owner, count in owners.items():
        for _ in range(count):
            queue.add(owner, len(whose), short=False)
            whose[len(whose)] = owner
    return queue, whose


def served(queue: Rotation, whose: dict[int, str], slices: int) -> str:
    """Who has a slice, in order, where every run goes on."""
    order = ""
    for _ in range(slices):
        number = queue.next()
        order += whose[number][0]
        queue.add(whose[number], number, short=False)
    return order


def test_owners_take_turns_and_each_keeps_its_order() -> None:
    queue, whose = filled(ann=3, bob=2)
    assert [queue.next() for _ in range(4)] == [0, 3, 4, 1]
    assert queue.next() == 2
    assert not queue
    assert served(*filled(ann=30, bob=2), 6) == "ababab"
    assert set(whose) == {0, 1, 2, 3, 4}


def test_who_has_one_run_comes_first_beside_many_but_not_for_ever() -> None:
    assert served(*filled(many=50, one=1), 20) == "oooooooom" * 2 + "oo"
    assert served(*filled(many=2, one=1), 6) == "oomoom"
    assert served(*filled(many=50, one=1, two=1), 18) == "otototot" + "m" + "otototot" + "m"
    assert served(*filled(one=1, two=1), 4) == "otot"


def test_of_one_owner_short_runs_pass_a_long_one_but_not_for_ever() -> None:
    queue = Rotation()
    queue.add("one", 100, short=False)
    for number in range(20):
        queue.add("one", number, short=True)
    assert [queue.next() for _ in range(11)] == [0, 1, 2, 3, 4, 5, 6, 7, 100, 8, 9]


def test_short_runs_of_one_owner_do_not_pass_a_long_one_of_another() -> None:
    queue = Rotation()
    for number in range(20):
        queue.add("burst", number, short=True)
    queue.add("other", 100, short=False)
    assert queue.next() == 100


@pytest.mark.xdist_group("sandbox")
@pytest.mark.parametrize(("theirs", "at_most"), [(SHORT, 25), (LONG, 3)], ids=["short runs", "long runs"])
async def test_a_burst_of_one_agent_does_no_more_work_than_another_agents_run_beside_it(
    compiled_guests: Path, theirs: str, at_most: int
) -> None:
    """The other's run computes as much as ten short runs, or one long one: so much of the burst may end before
    it, and what had begun; not all sixty."""
    sandbox = Sandbox(compiled_guests, workers=1)
    ended = 0

    async def one_of_many() -> None:
        nonlocal ended
        outcome = await sandbox.run(SandboxProgram(theirs), holder=Holder("burst"))
        assert outcome.error is None
        ended += 1

    try:
        await sandbox.run(SandboxProgram("return 1"))
        burst = [asyncio.create_task(one_of_many()) for _ in range(MANY)]
        await asyncio.sleep(0)
        other = await sandbox.run(SandboxProgram(LONG), holder=Holder("other"))
        before = ended
        for run in burst[before:]:
            run.cancel()
        await asyncio.wait(burst)
    finally:
        await sandbox.close()
    assert other.error is None
    assert before <= at_most

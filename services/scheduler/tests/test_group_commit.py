"""Group commit: together as one batch, each refused by what it expects itself alone."""

import asyncio
from collections.abc import Sequence

import pytest

from agent_contracts.errors import Conflict, Transient
from agent_contracts.log.record.records import Expect, NewMessage
from foldline_testing.agent_platform.memory_log import MemoryLog
from scheduler import group_commit
from scheduler.group_commit import AppendDraft, GroupCommit


class CountedBatches(MemoryLog):
    """Says how many messages each append had; fails as often as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.fails = 0

    async def append_together(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        self.batches.append(len(messages))
        if self.fails:
            self.fails -= 1
            raise Transient("no server")
        return await super().append_together(messages, expects)


def drafts(name: str, last: int = 0, count: int = 2) -> list[AppendDraft]:
    """So many messages on subjects of `name`; the first expects that nobody wrote there."""
    message = [NewMessage(f"agt.a.{name}.{number}", b"x", {}) for number in range(count)]
    return [
        AppendDraft(message[0], Expect(f"agt.a.{name}.>", last)),
        *(AppendDraft(one, None) for one in message[1:]),
    ]


async def all_of(commits: GroupCommit, *asked: list[AppendDraft]) -> list[BaseException | None]:
    return await asyncio.gather(*(commits.append(one) for one in asked), return_exceptions=True)


async def test_what_is_asked_for_meanwhile_is_one_batch() -> None:
    log = CountedBatches()
    assert await all_of(GroupCommit(log), *(drafts(f"n{number}") for number in range(50))) == [None] * 50
    assert log.batches == [100]
    assert await log.last_sequence() == 100


async def test_those_that_conflict_are_told_so_and_the_others_are_written() -> None:
    log = CountedBatches()
    for number in (3, 17):
        await log.append(NewMessage(f"agt.a.n{number}.0", b"theirs", {}))
    came = await all_of(GroupCommit(log), *(drafts(f"n{number}") for number in range(32)))
    assert [at for at, one in enumerate(came) if isinstance(one, Conflict)] == [3, 17]
    assert [one for at, one in enumerate(came) if at not in (3, 17)] == [None] * 30
    assert await log.last_sequence() == 2 + 60


async def test_two_that_expect_the_same_are_never_in_one_batch() -> None:
    log = CountedBatches()
    came = await all_of(GroupCommit(log), drafts("n"), drafts("n"), drafts("m"))
    assert log.batches == [4, 2]
    assert came[0] is came[2] is None
    assert isinstance(came[1], Conflict)


async def test_where_the_log_is_away_each_is_told_and_the_next_go_on() -> None:
    log, came = CountedBatches(), []
    log.fails = 1
    commits = GroupCommit(log)
    came = await all_of(commits, drafts("n"), drafts("m"))
    assert [type(one) for one in came] == [Transient, Transient]
    assert await all_of(commits, drafts("n"), drafts("m")) == [None, None]


async def test_a_batch_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MOST_MESSAGES", 10)
    log = CountedBatches()
    asked = [drafts(f"n{number}", count=4) for number in range(5)]
    assert await all_of(GroupCommit(log), *asked, drafts("large", count=40)) == [None] * 6
    assert log.batches == [8, 8, 4, 40]


async def test_who_stops_waiting_before_the_batch_asks_for_nothing() -> None:
    log = CountedBatches()
    commits = GroupCommit(log)
    first, second = (asyncio.create_task(commits.append(drafts(name))) for name in "nm")
    await asyncio.sleep(0)
    second.cancel()
    await first
    assert log.batches == [2]

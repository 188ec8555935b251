"""Group commit: what is to be appended at about the same time is one atomic batch.

A batch costs the server some milliseconds, however few its messages are: pairs one by one are 240 a second,
100 pairs together 1,700 (2 cores, each write synced).
"""

import asyncio
from collections.abc import Sequence

import msgspec

from agent_contracts.errors import Failure, Rejected
from agent_contracts.log.record.records import Expect, NewMessage
from agent_platform.log.port import Log

MOST_MESSAGES = 200
"""Messages of one batch, of 1,000 that the server takes; what is asked for at once is never parted."""
MOST_BYTES = 4 * 1024 * 1024
"""Of one batch, unless a single one is larger."""


class AppendDraft(msgspec.Struct, frozen=True):
    """A message that is to be appended, and what must hold then."""

    message: NewMessage
    expect: Expect | None


class _PendingAppend(msgspec.Struct, frozen=True, eq=False):
    drafts: Sequence[AppendDraft]
    done: "asyncio.Future[None]"

    @property
    def size(self) -> int:
        return sum(len(one.message.data) for one in self.drafts)

    @property
    def expected(self) -> set[str]:
        return {one.expect.subject for one in self.drafts if one.expect is not None}


class GroupCommit:
    """Appends to a log. While a batch is under way, what is asked for waits, and goes together then.

    Each asks for all or nothing, and is refused by what it expects itself: a batch that is refused is
    halved, and tried again, until those are alone who can't be written.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._asked: list[_PendingAppend] = []
        self._committing: asyncio.Task[None] | None = None

    async def append(self, drafts: Sequence[AppendDraft]) -> None:
        """Append all of these or none; `Conflict`, nothing written, where what they expect doesn't hold."""
        asked = _PendingAppend(drafts, asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        if self._committing is None or self._committing.done():
            self._committing = asyncio.create_task(self._commit_all())
        await asked.done

    async def _commit_all(self) -> None:
        while self._asked:
            group = self._next_group()
            try:
                if group:
                    await self._commit(group)
            except Exception as error:  # a bug, whatever it is: each of them says so
                _tell(group, error)
            finally:
                for one in group:
                    one.done.cancel()  # nothing, but where this very task was cancelled

    def _next_group(self) -> list[_PendingAppend]:
        """As many as go together: two that expect the same subject don't, as the server wouldn't see that
        the first changes what the second expects."""
        group: list[_PendingAppend] = []
        rest: list[_PendingAppend] = []
        expected: set[str] = set()
        messages = size = 0
        for one in self._asked:
            if one.done.done():
                continue  # cancelled: nobody asks for it any more
            fits = messages + len(one.drafts) <= MOST_MESSAGES and size + one.size <= MOST_BYTES
            if group and not (fits and expected.isdisjoint(one.expected)):
                rest.append(one)
                continue
            group.append(one)
            expected |= one.expected
            messages, size = messages + len(one.drafts), size + one.size
        self._asked = rest
        return group

    async def _commit(self, group: Sequence[_PendingAppend]) -> None:
        drafts = [draft for one in group for draft in one.drafts]
        try:
            await self._append(drafts)
        except Rejected as refusal:
            await self._halved(group, refusal)
        except Failure as failure:
            _tell(group, failure)
        else:
            for one in group:
                if not one.done.done():
                    one.done.set_result(None)

    async def _halved(self, group: Sequence[_PendingAppend], refusal: Rejected) -> None:
        if len(group) == 1:
            _tell(group, refusal)
            return
        middle = len(group) // 2
        await self._commit(group[:middle])
        await self._commit(group[middle:])

    async def _append(self, drafts: Sequence[AppendDraft]) -> None:
        if len(drafts) == 1:
            await self._log.append(drafts[0].message, drafts[0].expect)
        else:
            await self._log.append_together([one.message for one in drafts], [one.expect for one in drafts])


def _tell(group: Sequence[_PendingAppend], failure: Exception) -> None:
    for one in group:
        if not one.done.done():
            one.done.set_exception(failure)

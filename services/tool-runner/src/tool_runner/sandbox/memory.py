"""The memory that guests have together, in all workers of a runner: who may begin, who may grow, who waits.

A run begins with a little. One that needs more takes all that its limits allow, at once, and waits for it
where it stands: so whoever has all of it needs nothing more, and ends. A run whose code called a function
waits for that function's run; where nobody is left who could end, the youngest that waits is refused.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum

from tool_runner.sandbox.limits import LARGEST_MEMORY, MIB, RunLimits

SMALL = 8 * MIB
"""Bytes with which a run begins: an instance has 2 MiB, and code that parses a megabyte of JSON takes six."""
WORKER = 96 * MIB
"""Bytes of a worker process besides its guests: 34 MiB when it starts, and what it keeps of libraries."""
OURS = LARGEST_MEMORY
"""Bytes for what is run for ourselves, one at a time: checks of code, TypeScript without its types."""
_GROWING = 2 * (LARGEST_MEMORY - SMALL)
"""Bytes kept from those who only begin: two can always grow."""
PATIENCE_S = 10.0
"""Seconds for which a run waits to begin."""


class NoMemory(Exception):
    """There is none to be had. Nothing ran if the run was to begin; else it has to be ended."""


def least_memory(workers: int) -> int:
    """Bytes below which so many workers can't run anything."""
    return workers * WORKER + OURS + 2 * (_GROWING + SMALL)


def usual_memory(workers: int) -> int:
    """Bytes by default: 1 GiB for two workers."""
    return (512 + 256 * workers) * MIB


@dataclass(frozen=True, eq=False)
class Holder:
    """One run as who has memory: for an agent; `within` is the run whose code called it."""

    agent: str = ""
    within: "Holder | None" = None


class _Order(IntEnum):
    """Who comes first among those of one agent."""

    CALLED, GROWING, BEGINNING = range(3)


@dataclass(eq=False)
class _Wait:
    holder: Holder
    more: int
    order: _Order
    number: int
    granted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Memory:
    """`total` bytes for guests. One agent has at most three quarters: another's call always finds room."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._share = total * 3 // 4
        self._held: dict[Holder, int] = {}
        self._waiting: list[_Wait] = []
        self._numbers = itertools.count()

    @property
    def held(self) -> int:
        """Bytes that runs have, or may take without asking."""
        return sum(self._held.values())

    @property
    def waiting(self) -> int:
        """Runs that wait for memory."""
        return len(self._waiting)

    @asynccontextmanager
    async def holding(self, holder: Holder, limits: RunLimits) -> AsyncIterator[None]:
        """Have what a run begins with, until the end of it. Raises NoMemory after some seconds."""
        order = _Order.CALLED if holder.within else _Order.BEGINNING
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._take(holder, beginning(limits), order)
        except TimeoutError as error:
            raise NoMemory(self._why(holder, f"for {PATIENCE_S:g} seconds")) from error
        try:
            yield
        finally:
            self._held.pop(holder, None)
            self._settle()

    async def grow(self, holder: Holder, limits: RunLimits) -> int:
        """Have all that the limits allow; how many bytes these are. Raises NoMemory.

        It waits as long as anybody may end: the run's own time ends meanwhile.
        """
        most = min(limits.memory, LARGEST_MEMORY)
        if (held := self._held.get(holder)) is not None and held < most:
            await self._take(holder, most - held, _Order.GROWING)
        return most

    async def _take(self, holder: Holder, more: int, order: _Order) -> None:
        wait = _Wait(holder, more, order, next(self._numbers))
        self._waiting.append(wait)
        self._settle()
        try:
            await wait.granted
        except BaseException:
            if wait in self._waiting:
                self._waiting.remove(wait)
            elif not wait.granted.cancelled() and wait.granted.exception() is None:
                self._give_back(wait)
            self._settle()
            raise

    def _give_back(self, wait: _Wait) -> None:
        left = self._held.get(wait.holder, 0) - wait.more
        if left > 0:
            self._held[wait.holder] = left
        else:
            self._held.pop(wait.holder, None)

    def _settle(self) -> None:
        """Grant what can be granted, those with the least first; refuse where nobody would ever end."""
        while self._grant_next() or self._refuse_one():
            pass

    def _grant_next(self) -> bool:
        for agent in sorted({wait.holder.agent for wait in self._waiting}, key=self._of):
            for wait in self._in_order(agent):
                if self._fits(wait):
                    self._waiting.remove(wait)
                    self._held[wait.holder] = self._held.get(wait.holder, 0) + wait.more
                    if not wait.granted.done():
                        wait.granted.set_result(None)
                    return True
            if self.held + SMALL > self.total:
                return False  # those who have more don't overtake
        return False

    def _in_order(self, agent: str) -> Iterable[_Wait]:
        """The first of each order."""
        waits = [wait for wait in self._waiting if wait.holder.agent == agent]
        for order in _Order:
            first = min((w for w in waits if w.order is order), key=lambda w: w.number, default=None)
            if first is not None:
                yield first

    def _fits(self, wait: _Wait) -> bool:
        more = wait.more + (_GROWING if wait.order is _Order.BEGINNING else 0)
        return self._of(wait.holder.agent) + more <= self._share and self.held + more <= self.total

    def _refuse_one(self) -> bool:
        waiting = {wait.holder for wait in self._waiting}
        called = {holder.within for holder in (*self._held, *waiting) if holder.within}
        busy = {holder.agent for holder in self._held if holder not in waiting and holder not in called}
        stuck = [
            wait
            for wait in self._waiting
            if wait.order is not _Order.BEGINNING and not busy & {wait.holder.agent, *self._others(wait)}
        ]
        if not stuck:
            return False
        youngest = max(stuck, key=lambda wait: wait.number)
        self._waiting.remove(youngest)
        if not youngest.granted.done():
            youngest.granted.set_exception(NoMemory(self._why(youngest.holder, "by what waits for more too")))
        return True

    def _others(self, wait: _Wait) -> set[str]:
        """The agents who may make room for it, besides its own."""
        if self._of(wait.holder.agent) + wait.more > self._share:
            return set()
        return {holder.agent for holder in self._held}

    def _of(self, agent: str) -> int:
        return sum(size for holder, size in self._held.items() if holder.agent == agent)

    def _why(self, holder: Holder, how: str) -> str:
        return (
            f"the memory that this runner has for agents' code was taken {how}: {self.held // MIB} of "
            f"{self.total // MIB} MiB are in use, {self._of(holder.agent) // MIB} by code of this agent, "
            f"which may have {self._share // MIB}. Try again later, with less at a time"
        )


def beginning(limits: RunLimits) -> int:
    """Bytes with which a run of these limits begins."""
    return min(SMALL, limits.memory)

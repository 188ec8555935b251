"""Turns at what many agents' code asks for at once: so much at a time, and agents one after another."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class RunTurn:
    """A turn that somebody has."""

    def __init__(self, turns: "RunTurns", agent: str, weight: int) -> None:
        self._turns = turns
        self._agent = agent
        self._weight = weight

    def weighs(self, weight: int) -> None:
        """It turned out to weigh so much: what was taken too much is free for others, what was taken too
        little they wait for."""
        self._turns.add(self._agent, weight - self._weight)
        self._weight = weight


class RunTurns:
    """Turns that weigh `total` together are taken at a time, those of one agent `each` at most. The agents
    that wait get the next ones in rotation, however many calls each of them waits for."""

    def __init__(self, total: int, each: int) -> None:
        self._total = total
        self._each = each
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[tuple[asyncio.Future[None], int]]] = OrderedDict()

    @asynccontextmanager
    async def taken(self, agent: str, weight: int = 1) -> AsyncIterator[RunTurn]:
        """Wait for a turn, and have it. An agent's turns come in the order in which they were asked for. One
        that weighs more than an agent may have comes when the agent has no other."""
        weight = min(weight, self._each)
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(agent, deque()).append((granted, weight))
        self._hand_out()
        turn = RunTurn(self, agent, weight)
        try:
            if granted.done():
                await asyncio.sleep(0)  # those who got theirs just before have yet to wake: they go first
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                turn.weighs(0)
            raise
        try:
            yield turn
        finally:
            turn.weighs(0)

    def add(self, agent: str, weight: int) -> None:
        """What the agent has weighs so much more, or less."""
        self._taken[agent] += weight
        if not self._taken[agent]:
            del self._taken[agent]
        if weight < 0:
            self._hand_out()

    def _hand_out(self) -> None:
        while (agent := self._next()) is not None:
            granted, weight = self._waiting[agent][0]
            if not granted.done() and self._taken.total() + weight > self._total:
                return  # those who want less don't overtake: it would wait for ever
            waiting = self._waiting[agent]
            waiting.popleft()
            self._waiting.move_to_end(agent)
            if not waiting:
                del self._waiting[agent]
            if not granted.done():  # else whoever waited was cancelled
                self._taken[agent] += weight
                granted.set_result(None)

    def _next(self) -> str | None:
        """The first agent in the rotation that may have what it wants next, as far as its own share goes."""
        return next(
            (
                agent
                for agent, waiting in self._waiting.items()
                if not self._taken[agent] or self._taken[agent] + waiting[0][1] <= self._each
            ),
            None,
        )

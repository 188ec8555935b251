"""Turns at what many agents' code asks for at once: so many at a time, and agents one after another."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """`places` turns are taken at a time, `each` of one agent at most. The agents that wait get the next ones
    in rotation, however many calls each of them waits for."""

    def __init__(self, places: int, each: int) -> None:
        self._free = places
        self._each = each
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def taken(self, agent: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it. An agent's turns come in the order in which they were asked for."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(agent, deque()).append(turn)
        self._hand_out()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(agent)
            raise
        try:
            yield
        finally:
            self._give_back(agent)

    def _give_back(self, agent: str) -> None:
        self._free += 1
        self._taken[agent] -= 1
        if not self._taken[agent]:
            del self._taken[agent]
        self._hand_out()

    def _hand_out(self) -> None:
        while self._free:
            agent = next((one for one in self._waiting if self._taken[one] < self._each), None)
            if agent is None:
                return
            waiting = self._waiting[agent]
            turn = waiting.popleft()
            self._waiting.move_to_end(agent)
            if not waiting:
                del self._waiting[agent]
            if not turn.done():  # else whoever waited was cancelled
                self._free -= 1
                self._taken[agent] += 1
                turn.set_result(None)

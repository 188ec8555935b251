"""The order in which a worker's runs have their slices: owners take turns, however many runs each has."""

from collections import OrderedDict, deque

PASS = 8
"""How many short runs pass a long one of the same owner."""
ALONE = 8
"""Slices in a row, at most, for owners with one run each where another has so many: who has one waits for
it, who has many doesn't notice which of them goes on."""


class Rotation:
    """Numbers of runs, by their owners."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, _AgentQueue] = OrderedDict()
        self._alone = 0

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._lines)

    def add(self, owner: str, number: int, *, short: bool) -> None:
        """Behind the owner's others, though what is short passes what is long; a new owner comes last."""
        line = self._lines.setdefault(owner, _AgentQueue())
        (line.short if short else line.long).append(number)

    def next(self) -> int:
        """Take the next number of the owner whose turn it is. StopIteration if there is none."""
        owner = self._whose_turn()
        line = self._lines[owner]
        number = line.next()
        if line:
            self._lines.move_to_end(owner)
        else:
            del self._lines[owner]
        return number

    def _whose_turn(self) -> str:
        alone = next((owner for owner, line in self._lines.items() if len(line) == 1), None)
        others = next((owner for owner, line in self._lines.items() if len(line) > 1), None)
        if alone is None or others is None:
            return next(iter(self._lines))
        if self._alone < min(ALONE, max(map(len, self._lines.values()))):
            self._alone += 1
            return alone
        self._alone = 0
        return others


class _AgentQueue:
    def __init__(self) -> None:
        self.short: deque[int] = deque()
        self.long: deque[int] = deque()
        self._passed = 0

    def __len__(self) -> int:
        return len(self.short) + len(self.long)

    def next(self) -> int:
        if self.short and (not self.long or self._passed < PASS):
            self._passed += 1
            return self.short.popleft()
        self._passed = 0
        return self.long.popleft()

"""A cage: the steps by which a process gives up what it doesn't need. A step that this system doesn't have is
left out and told; who started the process decides what to make of that."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from agent_platform.process.cage.steps import CageUnavailable

REPORT = "cage.json"
"""The file in a program's folder in which its cage tells of itself."""
Step = tuple[str, Callable[[], None]]
"""What is given up, in words, and what gives it up."""


class Confinement(NamedTuple):
    """What holds a process, what doesn't (`name: why`), and which of these it had to have."""

    got: list[str]
    lacks: list[str]
    missing: list[str]


class Cage:
    """Takes its steps in order, each once. What a step gives up is gone for good."""

    def __init__(self, steps: Sequence[Step], must: Collection[str] = ()) -> None:
        """`must` names the steps without which nothing may run."""
        self._steps = steps
        self._must = must

    def enter(self) -> Confinement:
        """Give up all that this system lets a process give up."""
        got, lacks, missing = [], [], []
        for name, step in self._steps:
            try:
                step()
            except (OSError, ValueError, CageUnavailable) as error:
                lacks.append(f"{name}: {error}")
                if name in self._must:
                    missing.append(lacks[-1])
            else:
                got.append(name)
        return Confinement(got, lacks, missing)

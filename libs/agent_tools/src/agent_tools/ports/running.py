"""What runs beside the call."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from agent_tools.tool import Pause, Result, Tool

T = TypeVar("T")


class Compute(Protocol):
    """A thread beside the event loop, for work that takes the processor."""

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises. It can't be stopped: split long work into slices of some ten
        milliseconds."""
        ...


class OtherTools(Protocol):
    """The tools of this runner, run within the call that asks, with its ports and in its name."""

    def find(self, name: str) -> Tool | None:
        """The tool of this id (of a core tool its name), or None."""
        ...

    async def run(self, tool: Tool, args: Any) -> Result | Pause:
        """What the tool returns or raises for these arguments, which were parsed for it."""
        ...

"""The host's side of what code can ask for: the port that a runner fills with its parts."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from agent_contracts.json_value import Json

HostFunction = Callable[[list[Json]], Awaitable[Json]]


class HostCallFailed(Exception):
    """The answer to a host call is an error: code sees an exception of this name, message and code."""

    def __init__(self, message: str, *, name: str = "Error", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.name = name
        self.code = code


class HostCalls(Protocol):
    """Answers what code asks for: `state.get`, `fetch`, … (all names: sandbox-guest/src/host_api.js).

    Calls of one run may be made at the same time; they begin in the order in which the code made them.
    A cancelled task means that the run is over.
    """

    async def call(self, name: str, arguments: list[Json]) -> Json:
        """The value for the code. Raises HostCallFailed, or one of the three failures: an exception there.

        `arguments` come from hostile code: any JSON, any number of them.
        """
        ...

    def waits(self, name: str) -> bool:
        """Whether the answer waits for others, for minutes perhaps: such a call keeps no turn meanwhile."""
        ...


class HostTable:
    """Host functions by name. What is not there answers with an error that says so."""

    def __init__(self, functions: Mapping[str, HostFunction]) -> None:
        self._functions = functions

    async def call(self, name: str, arguments: list[Json]) -> Json:
        """As in `HostCalls`."""
        function = self._functions.get(name)
        if function is None:
            message = f"{name} is not available here"
            raise HostCallFailed(message, name="NotAvailableError", code="not_available")
        return await function(arguments)

    def waits(self, name: str) -> bool:
        """As in `HostCalls`."""
        return False

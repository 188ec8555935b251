"""A server within reach, as a connection takes it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mcp import MCPError
from mcp.client import Transport

from agent_contracts.errors import Failure
from agent_platform.process.cage.launching import CageReport
from egress.redaction import Redaction


class OpenServer(Protocol):
    """A server within reach: how it is spoken with, and what is known of it besides."""

    transport: Transport
    """To be entered once."""

    @property
    def redaction(self) -> Redaction:
        """Takes out the values of the secrets that the server was given."""
        ...

    @property
    def issuer(self) -> str:
        """Where a person logged in for it; empty where nobody did."""
        ...

    @property
    def one_at_a_time(self) -> bool:
        """Whether calls wait for each other."""
        ...

    @property
    def cage(self) -> CageReport:
        """What holds a program; nothing of an address."""
        ...

    async def gone(self) -> None:
        """Returns when the server is there no more; for ever of one of which that can't be known."""
        ...

    async def why(self, error: BaseException | None) -> str:
        """Why it failed, or is gone, in words for a person."""
        ...

    def shut(self) -> Failure | None:
        """Why a connection that still stands is of no use any more; None if it is."""
        ...

    def is_answer(self, error: MCPError) -> bool:
        """Whether the server said this, and not who carries its words."""
        ...

    def stderr(self) -> str:
        """The end of what a program said there."""
        ...


Open = Callable[[], AbstractAsyncContextManager[OpenServer]]

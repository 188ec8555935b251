"""What the levers of operators need of the outside, by role."""

from typing import Protocol

from agent_contracts.workers import Worker
from agent_platform.services.consuming.dead_letter import StoredLetter
from gateway.queries.view import View


class Letters(Protocol):
    """Where what could not be handled is set aside."""

    async def all(self) -> list[StoredLetter]:
        """Every letter, oldest first."""
        ...

    async def find(self, number: int) -> StoredLetter | None:
        """One letter, by its number."""
        ...

    async def discard(self, number: int) -> None:
        """Forget a letter."""
        ...


class Queue(View):
    """How far the workers of a consumer are: messages that wait, are in hand, and of these not for the first
    time."""

    consumer: str
    waiting: int
    in_hand: int
    redelivered: int


class Workforce(Protocol):
    """Who works on the log."""

    async def workers(self) -> list[Worker]:
        """The last word of each, those that died within a day included."""
        ...

    async def queues(self) -> list[Queue]:
        """How far the consumers are; one that doesn't exist is left out."""
        ...

"""What the levers of operators need of the outside, by role."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from agent_contracts.api.operating import Queue
from agent_contracts.log.workers import WorkerStatus
from agent_contracts.tool_spec import Catalogue
from agent_platform.services.consuming.dead_letter import LetterPage, StoredLetter


class DeadLetterSource(Protocol):
    """Where what could not be handled is set aside."""

    async def all(self) -> list[StoredLetter]:
        """Every letter, oldest first."""
        ...

    async def page(self, before: int | None, limit: int) -> LetterPage:
        """The newest letters, or those before letter `before`, newest first."""
        ...

    async def find(self, number: int) -> StoredLetter | None:
        """One letter, by its number."""
        ...

    async def discard(self, number: int) -> None:
        """Forget a letter."""
        ...


class OfferedTools(Protocol):
    """What runners offer."""

    async def catalogues(self) -> Sequence[Catalogue]:
        """The catalogue of each pack."""
        ...


class WorkerReports(Protocol):
    """Who works on the log."""

    async def services(self) -> Mapping[str, int]:
        """How many processes of each service answer now."""
        ...

    async def workers(self) -> list[WorkerStatus]:
        """The last word of each, those that died within a day included."""
        ...

    async def queues(self) -> list[Queue]:
        """How far the durable consumers are, by stream and name."""
        ...

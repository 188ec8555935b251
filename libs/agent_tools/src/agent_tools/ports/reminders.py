"""Reminders of a session."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from agent_contracts.entities.schedules import Recurrence, StoredReminder


class NumberedReminder(msgspec.Struct, frozen=True):
    """A reminder and its id."""

    id: str
    reminder: StoredReminder


class SessionReminders(Protocol):
    """What the session that calls will be reminded of."""

    async def now(self) -> datetime:
        """The time of the call, in the agent's zone (a `ZoneInfo`): the same each time the call is run."""
        ...

    async def set(self, at: str | Recurrence, message: str, *, quiet: bool = False) -> NumberedReminder:
        """Set one, at a time (ISO 8601) or again and again, in the agent's zone; a `quiet` one is shown and
        begins no turn. `Rejected` for a time that is none or isn't to come, and for a message that is blank
        or too long."""
        ...

    async def list(self) -> Sequence[NumberedReminder]:
        """Those that wait, by time."""
        ...

    async def over(self) -> Sequence[NumberedReminder]:
        """Those that came once, or were missed, the newest first."""
        ...

"""One way to reach a person, whatever is behind it."""

from typing import Protocol

from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Permanent
from notifier.desk.notices import NoticeMessage

ATTEMPT_S = 20.0
"""How long one attempt may take in all, in seconds."""
LARGEST_ANSWER = 16 * 1024
"""Bytes of an answer that are read; no more than its first words are ever shown."""


class SubscriptionGone(Permanent):
    """The subscription is over: the push service says that nothing can be sent there any more."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="gone")


class Sender(Protocol):
    """Sends by channels of one kind."""

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """Returns when the other side took the message.

        `Transient` where it didn't and may later, with its `retry_after`; `Rejected`, `Permanent` where it
        never will; `Permanent(kind="outcome_unknown")` where it may have: then nobody sends it again.
        """
        ...

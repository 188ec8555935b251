"""One way to reach a person, whatever is behind it."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

import msgspec

from agent_contracts.channels.registry import CHANNEL_KINDS
from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Permanent
from agent_domain.notifications.book import NotificationBook
from agent_platform.process.clock import Clock
from egress.dialing import Resolver
from egress.guard import Egress
from egress.rules import EgressRules
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


class SenderParts(msgspec.Struct, frozen=True):
    """What senders are made of."""

    egress: Egress
    rules: EgressRules
    resolver: Resolver
    book: NotificationBook
    clock: Clock


def senders(parts: SenderParts) -> Mapping[str, Sender]:
    """A sender for each kind of channel: `sender` in the file beside this one that is named as the kind."""
    return {kind: _made(kind)(parts) for kind in CHANNEL_KINDS}


def _made(kind: str) -> Callable[[SenderParts], Sender]:
    made: Callable[[SenderParts], Sender] = import_module(f"notifier.sending.{kind}").sender
    return made

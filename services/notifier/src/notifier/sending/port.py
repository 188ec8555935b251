"""One way to reach a person, whatever is behind it."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec
import structlog

from agent_contracts.channels.registry import CHANNEL_KINDS
from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.extensions import named, put_aside
from agent_domain.notifications.book import NotificationBook
from agent_platform.process.clock import Clock
from egress.dialing import Resolver
from egress.guard import Egress
from egress.rules import EgressRules
from notifier.desk.notices import NoticeMessage

log = structlog.get_logger()

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


class BrokenSender(msgspec.Struct, frozen=True):
    """Stands for a sender of another distribution that can't be used."""

    why: str

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """`Rejected`, always."""
        raise Rejected(f"channels of this kind can't be used: {self.why}", kind="broken_extension")


def senders(parts: SenderParts) -> Mapping[str, Sender]:
    """A sender for each kind of channel. One of another distribution that can't be made says so when it is
    to send."""
    return {kind: _made(kind, parts) for kind in CHANNEL_KINDS}


def _made(kind: str, parts: SenderParts) -> Sender:
    theirs = CHANNEL_KINDS[kind].sender
    made: Callable[[SenderParts], Sender]
    if not theirs:
        made = named(f"notifier.sending.{kind}:sender")
        return made(parts)
    try:
        made = named(theirs)
        return made(parts)
    except (Exception, SystemExit) as error:  # it is somebody else's code
        broken = put_aside("channel", kind, error)
        log.error("extension.broken", kind="channel", name=kind, why=broken.why)
        return BrokenSender(broken.why)

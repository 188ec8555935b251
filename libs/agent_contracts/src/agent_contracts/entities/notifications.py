"""Notifications: by which channels a person wants to be reached, when, and what became of the last attempt.

They belong to the installation, not to an agent, and hold credentials: they are in a bucket of their own,
encrypted, and never in the log.
"""

from typing import Literal

import msgspec

from agent_contracts.channels.registry import AnyTarget

TEST_CHANNEL = "notifications.test"
"""The question by which the gateway asks the notifier to send a test message."""

CHANNELS, STATUSES, PREFERENCES, VAPID, DESK = "channel", "status", "preferences", "vapid", "desk"
"""Keys of the bucket: below the first two one for each channel; `desk` is what the notifier has to send."""

CHANNEL_NAME = r"^[a-z0-9][a-z0-9-]{0,39}$"
MOST_CHANNELS = 20

NoticeKind = Literal["reminder", "question", "failure"]
"""What a person is told of: a reminder's turn was answered, something waits for them, something failed."""
KINDS: tuple[NoticeKind, ...] = ("reminder", "question", "failure")


class Channel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way to reach the person. `kinds` is what it is used for."""

    name: str
    target: AnyTarget
    kinds: tuple[NoticeKind, ...] = KINDS
    enabled: bool = True


class QuietHours(msgspec.Struct, frozen=True):
    """When nothing is sent."""

    begins: str
    """When they begin, as `HH:MM`."""
    ends: str
    """When they end, as `HH:MM`; earlier than `begins`: on the next day."""
    timezone: str
    """The time zone, as an IANA name such as `Europe/Oslo`."""


class Preferences(msgspec.Struct, frozen=True, omit_defaults=True):
    """What holds for all channels. `show_text`: messages quote titles, questions and answers. `address` is
    where the page is opened (`https://example.org/`): without one, messages have no link."""

    show_text: bool = True
    quiet: QuietHours | None = None
    address: str | None = None


class ChannelStatus(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of the last attempts; times are RFC 3339 in UTC. `failures`: how many failed in a row.

    `gone`: the browser's push service knows the subscription no longer; nothing more is sent.
    """

    delivered_at: str | None = None
    failed_at: str | None = None
    error: str | None = None
    failures: int = 0
    gone: bool = False


class TestChannel(msgspec.Struct, frozen=True):
    """Send a test message by this channel, now."""

    __test__ = False  # pytest takes it for one of its own

    name: str


class TestOutcome(msgspec.Struct, frozen=True):
    """Whether it was taken. `error`: why not, in words."""

    __test__ = False

    delivered: bool
    error: str | None = None

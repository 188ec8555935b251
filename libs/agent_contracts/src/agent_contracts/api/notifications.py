"""Notifications."""

from typing import Annotated

import msgspec

from agent_contracts.api.wire import RequestBody, ResponseBody
from agent_contracts.channels.kind import ADDRESS
from agent_contracts.channels.registry import AnyTarget
from agent_contracts.entities.notifications import KINDS, NoticeKind, QuietHours
from agent_contracts.form_inputs import FormInput
from agent_contracts.timestamp import Timestamp


class ShownChannel(ResponseBody, frozen=True, kw_only=True):
    """A channel without its credentials."""

    name: str
    """Name of the channel: at most 40 of a-z, 0-9 and `-`."""
    kind: str | None
    """Name of the channel's kind, such as `email`; null: it can't be read."""
    noun: str
    """The name of its kind for people, such as `e-mail`."""
    leads_to: str | None
    """Where it leads: a host, a mailbox or a browser's name. Null: it can't be read."""
    kinds: list[NoticeKind]
    """The notices that it is used for."""
    enabled: bool
    """Whether messages are sent by it."""
    readable: bool
    """False: it must be set again, because it was stored with another key of the secrets or its kind is
    declared differently now."""
    delivered_at: Timestamp | None
    """When the last message was delivered; null: none was."""
    failed_at: Timestamp | None
    """When the last attempt failed; null: none did."""
    error: str | None
    """Why the last attempt failed; null: none did."""
    failures: int
    """Number of attempts that failed in a row."""
    gone: bool
    """Whether the browser's push service no longer knows the subscription."""


class OfferedChannel(ResponseBody, frozen=True, kw_only=True):
    """A kind of channel that can be set up."""

    kind: str
    """Name of the kind, such as `email`."""
    title: str
    """Its heading in forms."""
    by_hand: bool
    """Whether people fill in the inputs. False: a browser does."""
    inputs: list[FormInput]
    """What to fill in."""


class ShownPreferences(ResponseBody, frozen=True, kw_only=True):
    """What holds for all channels."""

    show_text: bool
    """Messages quote titles, questions and answers."""
    quiet: QuietHours | None
    """When nothing is sent; null: never."""
    address: str | None
    """Where the page is opened, for links in messages, such as `https://example.org/`. Null: messages have no
    links."""


class Notifications(ResponseBody, frozen=True, kw_only=True):
    """Everything about notifications."""

    channels: list[ShownChannel]
    """The channels, by name."""
    preferences: ShownPreferences
    """What holds for all channels."""
    offered: list[OfferedChannel]
    """The kinds of channels that can be set up."""


class WrittenChannel(ShownChannel, frozen=True, kw_only=True):
    """The channel as it is now."""

    secret: str | None = None
    """A secret that was made because it was left out, such as the one that signs a webhook's messages. Shown
    this once; null: none was made."""


class ForgottenChannel(ResponseBody, frozen=True, kw_only=True):
    """What forgetting a channel did."""

    deleted: bool
    """Whether there was such a channel."""


class TestResult(ResponseBody, frozen=True, kw_only=True):
    """What came of a test message."""

    __test__ = False
    delivered: bool
    """Whether it was taken."""
    error: str | None
    """Why it wasn't, in words; null: it was."""


class PushKey(ResponseBody, frozen=True, kw_only=True):
    """The key of this installation for Web Push."""

    public_key: str
    """Pass it to the browser as `applicationServerKey`."""


class LookReceipt(ResponseBody, frozen=True, kw_only=True):
    """What was noted."""

    session_id: str
    """Id of the session that a person looks at, or no longer."""
    visible: bool
    """Whether it is in front of the person."""


TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


class WriteChannel(RequestBody, frozen=True, kw_only=True):
    """A channel from now on."""

    target: AnyTarget | None = None
    """Where it leads. Left out: where it led before."""
    kinds: Annotated[list[NoticeKind], msgspec.Meta(min_length=1, max_length=len(KINDS))] = msgspec.field(
        default_factory=lambda: list(KINDS)
    )
    """The notices that are sent by it."""
    enabled: bool = True
    """Whether messages are sent by it."""


class WriteQuietHours(RequestBody, frozen=True, kw_only=True):
    """When nothing is sent. One message sums up afterwards what happened."""

    begins: Annotated[str, msgspec.Meta(pattern=TIME)]
    """When they begin, as `HH:MM`."""
    ends: Annotated[str, msgspec.Meta(pattern=TIME)]
    """When they end, as `HH:MM`; earlier than `begins`: on the next day."""
    timezone: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    """The time zone, as an IANA name such as `Europe/Oslo`."""


class ChangePreferences(RequestBody, frozen=True, kw_only=True):
    """Changes of what holds for all channels. What is left out stays as it is."""

    show_text: bool | msgspec.UnsetType = msgspec.UNSET
    """Messages quote titles, questions and answers."""
    quiet: WriteQuietHours | msgspec.UnsetType | None = msgspec.UNSET
    """When nothing is sent. Null: never."""
    address: Annotated[str, ADDRESS] | msgspec.UnsetType | None = msgspec.UNSET
    """Where the page is opened, for links in messages, such as `https://example.org/`. Null: messages have no
    links."""


class LookReport(RequestBody, frozen=True, kw_only=True):
    """Whether a person looks at the session."""

    visible: bool
    """Whether it is in front of the person."""

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
    kind: str | None
    """Its kind; null where it can't be read."""
    noun: str
    """The name of its kind for people, such as `e-mail`."""
    leads_to: str | None
    """A host, a mailbox or a browser's name."""
    kinds: list[NoticeKind]
    """The notices that it is used for."""
    enabled: bool
    readable: bool
    """False: it must be set again, since it was stored with another key of the secrets, or its kind is
    declared differently now."""
    delivered_at: Timestamp | None
    """When the last message was delivered."""
    failed_at: Timestamp | None
    """When the last attempt failed."""
    error: str | None
    """Why it failed."""
    failures: int
    """The number of attempts that failed in a row."""
    gone: bool
    """The browser's push service knows the subscription no longer."""


class OfferedChannel(ResponseBody, frozen=True, kw_only=True):
    """A kind of channel, and what to fill in to make one. Not `by_hand`: a browser fills it in."""

    kind: str
    title: str
    by_hand: bool
    inputs: list[FormInput]


class ShownPreferences(ResponseBody, frozen=True, kw_only=True):
    """What holds for all channels. `show_text`: messages quote titles, questions and answers. `address` is
    where links lead; without one there are none."""

    show_text: bool
    quiet: QuietHours | None
    address: str | None


class Notifications(ResponseBody, frozen=True, kw_only=True):
    """The channels by name, the preferences, and the kinds of channels that can be made."""

    channels: list[ShownChannel]
    preferences: ShownPreferences
    offered: list[OfferedChannel]


class WrittenChannel(ShownChannel, frozen=True, kw_only=True):
    """As it is now. `secret` was made here because it was left out, such as that by which a webhook's
    messages are signed. It is shown this one time."""

    secret: str | None = None


class ForgottenChannel(ResponseBody, frozen=True, kw_only=True):
    """Whether there was such a channel."""

    deleted: bool


class TestResult(ResponseBody, frozen=True, kw_only=True):
    """Whether the test message was taken; why not, in words."""

    __test__ = False
    delivered: bool
    error: str | None


class PushKey(ResponseBody, frozen=True, kw_only=True):
    """What a browser subscribes with (`applicationServerKey`)."""

    public_key: str


class LookReceipt(ResponseBody, frozen=True, kw_only=True):
    """What was passed on."""

    session_id: str
    visible: bool


TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


class WriteChannel(RequestBody, frozen=True, kw_only=True):
    """Where the channel leads (left out: where it led before) and what it tells."""

    target: AnyTarget | None = None
    kinds: Annotated[list[NoticeKind], msgspec.Meta(min_length=1, max_length=len(KINDS))] = msgspec.field(
        default_factory=lambda: list(KINDS)
    )
    enabled: bool = True


class WriteQuietHours(RequestBody, frozen=True, kw_only=True):
    """When nothing is sent. What happens then comes as one message afterwards."""

    begins: Annotated[str, msgspec.Meta(pattern=TIME, description="HH:MM")]
    ends: Annotated[
        str, msgspec.Meta(pattern=TIME, description="HH:MM; earlier than `begins`: on the next day")
    ]
    timezone: Annotated[str, msgspec.Meta(min_length=1, max_length=64, description="an IANA name")]


class ChangePreferences(RequestBody, frozen=True, kw_only=True):
    """What changes of what holds for all channels. Null: no quiet hours, no address."""

    show_text: bool | msgspec.UnsetType = msgspec.UNSET
    quiet: WriteQuietHours | msgspec.UnsetType | None = msgspec.UNSET
    address: Annotated[str, ADDRESS] | msgspec.UnsetType | None = msgspec.UNSET


class LookReport(RequestBody, frozen=True, kw_only=True):
    """Whether the session is before a person's eyes."""

    visible: bool

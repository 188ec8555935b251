"""Notifications."""

from typing import Annotated

import msgspec

from agent_contracts.api.wire import RequestBody, ResponseBody, SecretBody
from agent_contracts.entities.notifications import (
    KINDS,
    Email,
    NoticeKind,
    Ntfy,
    QuietHours,
    Security,
    Target,
    Webhook,
    WebPush,
)


class ShownChannel(ResponseBody, frozen=True, kw_only=True):
    """A channel without its credentials. `leads_to` is a host, a mailbox or a browser's name.

    `error` is why the last attempt failed, `failures` how many failed in a row. `gone`: the browser's push
    service knows the subscription no longer. Not `readable`: it was stored with another key of the secrets,
    and must be set anew.
    """

    name: str
    kind: str | None
    leads_to: str | None
    kinds: list[NoticeKind]
    enabled: bool
    readable: bool
    delivered_at: str | None
    failed_at: str | None
    error: str | None
    failures: int
    gone: bool


class ShownPreferences(ResponseBody, frozen=True, kw_only=True):
    """What holds for all channels. `show_text`: messages quote titles, questions and answers. `address` is
    where links lead; without one there are none."""

    show_text: bool
    quiet: QuietHours | None
    address: str | None


class Notifications(ResponseBody, frozen=True, kw_only=True):
    """The channels by name, and the preferences."""

    channels: list[ShownChannel]
    preferences: ShownPreferences


class WrittenChannel(ShownChannel, frozen=True, kw_only=True):
    """As it is now. `secret` is that by which a webhook's messages are signed, the one time it is shown:
    after it was made here."""

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


MAILBOX = r"^[^@\s<>,;\"\x00-\x1f\x7f]{1,64}@[A-Za-z0-9.-]{1,253}$"
TOPIC = r"^[-_A-Za-z0-9]{1,64}$"
TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
LONGEST_ADDRESS = 2000
LONGEST_CREDENTIAL = 500
_Address = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_ADDRESS)]
_Credential = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_CREDENTIAL)]


class ToWebhook(SecretBody, frozen=True, kw_only=True):
    """Any HTTP server. Without a `secret`, that of before stays, or one is made and shown once."""

    url: _Address
    secret: _Credential | None = None


class ToNtfy(SecretBody, frozen=True, kw_only=True):
    """A topic of an ntfy server."""

    server: _Address = "https://ntfy.sh"
    topic: str
    token: _Credential | None = None


class ToEmail(SecretBody, frozen=True, kw_only=True):
    """A mailbox, by way of a mail server. `none` as `security` is for servers on private hosts."""

    host: Annotated[str, msgspec.Meta(min_length=1, max_length=253)]
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 587
    security: Security = "starttls"
    username: _Credential | None = None
    password: _Credential | None = None
    sender: str
    to: str


class WriteChannel(RequestBody, frozen=True, kw_only=True):
    """Where the channel leads (at most one of the three; none: where it led before) and what it tells."""

    webhook: ToWebhook | None = None
    ntfy: ToNtfy | None = None
    email: ToEmail | None = None
    kinds: Annotated[list[NoticeKind], msgspec.Meta(min_length=1, max_length=len(KINDS))] = msgspec.field(
        default_factory=lambda: list(KINDS)
    )
    enabled: bool = True

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.webhook, self.ntfy, self.email)) > 1:
            raise ValueError("A channel leads to one place: a webhook, ntfy or a mailbox")

    @property
    def target(self) -> Target | None:
        """Where it leads."""
        if self.webhook is not None:
            return Webhook(self.webhook.url, self.webhook.secret or "")
        if self.ntfy is not None:
            return Ntfy(self.ntfy.server, self.ntfy.topic, self.ntfy.token)
        return None if self.email is None else Email(**msgspec.structs.asdict(self.email))


class WriteQuietHours(RequestBody, frozen=True, kw_only=True):
    """When nothing is sent. What happens then comes as one message afterwards."""

    begins: Annotated[str, msgspec.Meta(pattern=TIME, description="HH:MM")]
    ends: Annotated[
        str, msgspec.Meta(pattern=TIME, description="HH:MM; earlier than `begins`: on the next day")
    ]
    timezone: Annotated[str, msgspec.Meta(min_length=1, max_length=64, description="an IANA name")]


class WritePreferences(RequestBody, frozen=True, kw_only=True):
    """What holds for all channels."""

    show_text: bool = True
    quiet: WriteQuietHours | None = None
    address: _Address | None = None

    @property
    def quiet_hours(self) -> QuietHours | None:
        """The quiet hours, if there are any."""
        return QuietHours(**msgspec.structs.asdict(self.quiet)) if self.quiet else None


class SubscriptionKeys(SecretBody, frozen=True, kw_only=True):
    """A browser's keys, in base64url."""

    p256dh: Annotated[str, msgspec.Meta(max_length=200)]
    auth: Annotated[str, msgspec.Meta(max_length=100)]


class Subscribe(SecretBody, frozen=True, kw_only=True):
    """What the browser's `PushSubscription.toJSON()` says, and what the browser is called in lists."""

    endpoint: _Address
    keys: SubscriptionKeys
    browser: Annotated[str, msgspec.Meta(max_length=80)] = ""

    @property
    def subscription(self) -> WebPush:
        """The subscription."""
        return WebPush(self.endpoint, self.keys.p256dh, self.keys.auth, self.browser)


class LookReport(RequestBody, frozen=True, kw_only=True):
    """Whether the session is before a person's eyes."""

    visible: bool

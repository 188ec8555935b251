"""What the API takes about notifications."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

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
from agent_platform.settings.characters import cleaned
from gateway.http.wire.request import Request
from gateway.operations.notifications.rules import LONGEST_ADDRESS, LONGEST_CREDENTIAL, MAILBOX, TIME, TOPIC

_Pasted = BeforeValidator(lambda value: cleaned(value) if isinstance(value, str) else value)
"""What comes by copying is taken off before anything is checked."""
Address = Annotated[str, _Pasted, Field(min_length=1, max_length=LONGEST_ADDRESS)]
Mailbox = Annotated[str, _Pasted, Field(pattern=MAILBOX)]
_Credential = Annotated[str, _Pasted, Field(min_length=1, max_length=LONGEST_CREDENTIAL)]
Credential = Annotated[_Credential | None, Field(repr=False)]


class ToWebhook(Request):
    """Any HTTP server. Without a `secret`, that of before stays, or one is made and shown once."""

    url: Annotated[Address, Field(repr=False)]
    secret: Credential = None


class ToNtfy(Request):
    """A topic of an ntfy server."""

    server: Address = "https://ntfy.sh"
    topic: Annotated[str, _Pasted, Field(pattern=TOPIC, repr=False)]
    token: Credential = None


class ToEmail(Request):
    """A mailbox, by way of a mail server. `none` as `security` is for servers on private hosts."""

    host: Annotated[str, _Pasted, Field(min_length=1, max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    security: Security = "starttls"
    username: Credential = None
    password: Credential = None
    sender: Mailbox
    to: Mailbox


class WriteChannel(Request):
    """Where the channel leads (at most one of the three; none: where it led before) and what it tells."""

    webhook: ToWebhook | None = None
    ntfy: ToNtfy | None = None
    email: ToEmail | None = None
    kinds: Annotated[list[NoticeKind], Field(min_length=1, max_length=len(KINDS))] = Field(
        default_factory=lambda: list(KINDS)
    )
    enabled: bool = True

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(one is not None for one in (self.webhook, self.ntfy, self.email)) > 1:
            raise ValueError("A channel leads to one place: a webhook, ntfy or a mailbox")
        return self

    @property
    def target(self) -> Target | None:
        """Where it leads."""
        if self.webhook is not None:
            return Webhook(self.webhook.url, self.webhook.secret or "")
        if self.ntfy is not None:
            return Ntfy(self.ntfy.server, self.ntfy.topic, self.ntfy.token)
        if self.email is not None:
            return Email(**self.email.model_dump())
        return None


class WriteQuietHours(Request):
    """When nothing is sent. What happens then comes as one message afterwards."""

    begins: Annotated[str, Field(pattern=TIME, description="HH:MM")]
    ends: Annotated[str, Field(pattern=TIME, description="HH:MM; earlier than `begins`: on the next day")]
    timezone: Annotated[str, Field(min_length=1, max_length=64, description="an IANA name")]


class WritePreferences(Request):
    """What holds for all channels."""

    show_text: bool = True
    quiet: WriteQuietHours | None = None
    address: Address | None = None

    @property
    def quiet_hours(self) -> QuietHours | None:
        """The quiet hours, if there are any."""
        return QuietHours(**self.quiet.model_dump()) if self.quiet else None


class SubscriptionKeys(Request):
    """A browser's keys, in base64url."""

    p256dh: Annotated[str, Field(max_length=200, repr=False)]
    auth: Annotated[str, Field(max_length=100, repr=False)]


class Subscribe(Request):
    """What the browser's `PushSubscription.toJSON()` says, and what the browser is called in lists."""

    endpoint: Annotated[Address, Field(repr=False)]
    keys: SubscriptionKeys
    browser: Annotated[str, Field(max_length=80)] = ""

    @property
    def subscription(self) -> WebPush:
        """The subscription."""
        return WebPush(self.endpoint, self.keys.p256dh, self.keys.auth, self.browser)


class Looking(Request):
    """Whether the session is before a person's eyes."""

    visible: bool

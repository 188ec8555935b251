"""What can be a way to reach a person, whichever door it comes through."""

import base64
import binascii
import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from agent_contracts.api.notifications import LONGEST_ADDRESS, LONGEST_CREDENTIAL, MAILBOX, TIME, TOPIC
from agent_contracts.entities.notifications import (
    CHANNEL_NAME,
    Channel,
    Email,
    Ntfy,
    QuietHours,
    Target,
    Webhook,
    WebPush,
)
from agent_contracts.errors import Rejected
from agent_platform.settings.characters import cleaned, flaw_in_key, flaw_in_name, flaw_in_text
from egress.targets import target_of

_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:-]{0,252}")
_POINT, _AUTH = 65, 16


def cleaned_target(target: Target) -> Target:
    """Where a person means it to lead: what comes by copying is taken off before anything is checked."""
    told = msgspec.structs.asdict(target)
    return msgspec.structs.replace(
        target, **{name: cleaned(one) for name, one in told.items() if isinstance(one, str)}
    )


def check_channel(channel: Channel) -> None:
    """`Rejected` for what can't be a channel. It doesn't repeat what may be secret."""
    if not re.fullmatch(CHANNEL_NAME, channel.name):
        raise _rejected("a channel's name has a-z, 0-9 and -, at most 40, and begins with a letter or digit")
    if not channel.kinds:
        raise _rejected("say of what kinds the channel tells: reminder, question, failure")
    match channel.target:
        case Webhook(url=url, secret=secret):
            _check_url(url)
            _check_secret(secret)
        case Ntfy(server=server, topic=topic, token=token):
            _check_url(server)
            if not re.fullmatch(TOPIC, topic):
                raise _rejected("a topic of ntfy has letters, digits, _ and -, at most 64")
            _check_credential(token)
            _require(flaw_in_key(token or ""), "a token of ntfy")
        case Email() as email:
            _check_email(email)
        case WebPush() as push:
            _check_push(push)


def check_quiet(hours: QuietHours) -> None:
    """`Rejected` for hours that can't be."""
    if not re.fullmatch(TIME, hours.begins) or not re.fullmatch(TIME, hours.ends):
        raise _rejected("quiet hours begin and end at a time such as 22:00")
    if hours.begins == hours.ends:
        raise _rejected("quiet hours that begin when they end would never end: give two times, or none")
    try:
        ZoneInfo(hours.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise _rejected(f"{hours.timezone[:64]!r} is not a time zone such as Europe/Oslo") from error


def checked_address(address: str) -> str:
    """Where the page is opened, with a `/` at its end. `Rejected` for what can't be that."""
    _check_url(address)
    if "#" in address or "?" in address:
        raise _rejected("the page's address ends before any # or ?")
    return address if address.endswith("/") else address + "/"


def led_to(target: Target) -> str:
    """Where a channel leads, without what is as good as a password."""
    match target:
        case Webhook(url=url):
            return target_of(url).host
        case Ntfy(server=server):
            return target_of(server).host
        case Email(to=to):
            return to
        case WebPush(endpoint=endpoint, browser=browser):
            return browser or target_of(endpoint).host


def _check_url(url: str) -> None:
    if len(url) > LONGEST_ADDRESS:
        raise _rejected(f"an address has at most {LONGEST_ADDRESS} characters")
    _require(flaw_in_name(url), "an address")
    try:
        target_of(url)
    except Rejected as error:
        raise _rejected(error.message) from error


def _check_secret(secret: str) -> None:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not 24 <= len(key) <= 64:
        raise _rejected(
            "a webhook's secret is `whsec_` and 24 to 64 bytes in base64; leave it out to get one"
        )


def _check_credential(value: str | None) -> None:
    if value is None:
        return
    if not 0 < len(value) <= LONGEST_CREDENTIAL:
        raise _rejected(f"a password or token has 1 to {LONGEST_CREDENTIAL} characters")
    _require(flaw_in_text(value), "a user name, password or token")


def _check_email(email: Email) -> None:
    for what, text in (("mail server", email.host), ("mailbox", email.to), ("mailbox", email.sender)):
        _require(flaw_in_name(text), f"a {what}")
    if not re.fullmatch(MAILBOX, email.to) or not re.fullmatch(MAILBOX, email.sender):
        raise _rejected("a mail address looks like me@example.org, without a name")
    if not _HOST.fullmatch(email.host) or not 0 < email.port < 65536:
        raise _rejected("a mail server is a host name, and a port such as 587")
    _check_credential(email.password)
    _check_credential(email.username)
    if (email.username is None) != (email.password is None):
        raise _rejected("a login at a mail server has both a user name and a password")


def _check_push(push: WebPush) -> None:
    _check_url(push.endpoint)
    if target_of(push.endpoint).scheme != "https":
        raise _rejected("a push service is reached by https")
    if len(_bytes(push.p256dh)) != _POINT or len(_bytes(push.auth)) != _AUTH:
        raise _rejected("this is not a browser's push subscription: its keys have other lengths")
    if len(push.browser) > 80 or not push.browser.isprintable():
        raise _rejected("a browser's name has at most 80 characters")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""


def _require(flaw: str | None, what: str) -> None:
    if flaw is not None:
        raise _rejected(f"{what} can't be this: {flaw}")


def _rejected(message: str) -> Rejected:
    return Rejected(message, kind="invalid_request")

"""A browser's subscription (W3C Push API), which the browser itself makes."""

import base64
import binascii
from typing import Annotated

import msgspec

from agent_contracts.channels.kind import ADDRESS, ChannelKind, ChannelTarget
from agent_contracts.form_inputs import MemberFlaw, declared

_POINT, _AUTH = 65, 16
"""Bytes of a browser's public key and of what proves it."""


class WebPush(ChannelTarget, frozen=True, kw_only=True, tag="web_push"):
    """A browser that receives notifications."""

    endpoint: Annotated[str, ADDRESS, declared("Push service", format="uri")]
    """Address of the browser's push service."""
    p256dh: Annotated[str, msgspec.Meta(max_length=200), declared("Public key", secret=True)]
    """The browser's public key, in base64url."""
    auth: Annotated[str, msgspec.Meta(max_length=100), declared("Key", secret=True)]
    """The browser's authentication secret, in base64url."""
    browser: Annotated[str, msgspec.Meta(max_length=80), declared("Browser")] = ""
    """What the browser is called in lists."""


def _check(target: WebPush) -> None:
    if not target.endpoint.lower().startswith("https:"):
        raise MemberFlaw("endpoint", "A push service is reached by https")
    for member, size in (("p256dh", _POINT), ("auth", _AUTH)):
        if len(_bytes(getattr(target, member))) != size:
            raise MemberFlaw(member, "This isn't a browser's push subscription: its keys have other lengths")
    if not target.browser.isprintable():
        raise MemberFlaw("browser", "A browser's name has only characters that can be seen")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""


WEB_PUSH = ChannelKind(
    shape=WebPush,
    title="Browser",
    noun="browser",
    leads_to=("browser", "endpoint"),
    by_hand=False,
    check=_check,
)

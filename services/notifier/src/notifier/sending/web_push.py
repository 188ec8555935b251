"""A browser's push service: RFC 8030, the message encrypted by RFC 8291, the sender known by RFC 8292."""

import base64
from urllib.parse import urlsplit

import msgspec

from agent_contracts.channels.web_push import WebPush
from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Permanent, Rejected
from agent_domain.notifications.book import NotificationBook
from agent_platform.process.clock import Clock
from egress.guard import Egress
from notifier.desk.notices import NoticeMessage
from notifier.sending.port import SenderParts, SubscriptionGone
from notifier.sending.posting import post

KEEPS_S = 24 * 3600
"""For how long a push service keeps a message for a browser out of reach."""
_CONTACT = "https://foldline.invalid"
_TOKEN_S = 12 * 3600
_GONE = frozenset({"http_404", "http_410"})


class WebPushSender:
    """Encrypts for one browser, and hands it to its push service."""

    def __init__(self, egress: Egress, book: NotificationBook, clock: Clock, contact: str) -> None:
        """`contact` is the `mailto:` or `https:` address that push services are told."""
        self._egress = egress
        self._book = book
        self._clock = clock
        self._contact = contact

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """See `Sender`. `SubscriptionGone` where the subscription is over."""
        target = channel.target
        assert isinstance(target, WebPush)
        key = await self._book.vapid_key()
        if key is None:
            raise Rejected(
                "the key for web push is missing, or was stored with another key of the secrets: subscribe "
                "this browser again",
                kind="no_vapid_key",
            )
        headers = (
            ("content-type", "application/octet-stream"),
            ("content-encoding", "aes128gcm"),
            ("ttl", str(KEEPS_S)),
            ("urgency", "high" if message.kind in ("question", "test") else "normal"),
            ("authorization", self._authorization(key, target.endpoint)),
        )
        try:
            await post(self._egress, target.endpoint, headers, encrypted(target, message))
        except Permanent as error:
            if error.kind in _GONE:
                raise SubscriptionGone(
                    "this browser's subscription is over, as its push service says: subscribe there again"
                ) from error
            raise

    def _authorization(self, key: str, endpoint: str) -> str:
        # Heavy: only who has a browser to push to pays for it.
        from py_vapid import Vapid02

        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int(self._clock.now().timestamp()) + _TOKEN_S,
            "sub": self._contact,
        }
        return str(Vapid02.from_raw(key.encode()).sign(claims)["Authorization"])


def sender(parts: SenderParts) -> WebPushSender:
    """The sender of this kind."""
    return WebPushSender(parts.egress, parts.book, parts.clock, _CONTACT)


def encrypted(target: WebPush, message: NoticeMessage) -> bytes:
    """The message for the service worker (`sw.js`), which only this subscription's browser can read.
    `Rejected` for a subscription whose keys can't be."""
    # Heavy: only who has a browser to push to pays for it.
    import http_ece
    from cryptography.exceptions import InvalidKey
    from cryptography.hazmat.primitives.asymmetric import ec

    body = {
        "id": message.id,
        "title": message.title,
        "text": message.text,
        "path": message.path,
    }
    try:
        return bytes(
            http_ece.encrypt(
                msgspec.json.encode(body),
                private_key=ec.generate_private_key(ec.SECP256R1()),
                dh=_decoded(target.p256dh),
                auth_secret=_decoded(target.auth),
                version="aes128gcm",
            )
        )
    except (ValueError, TypeError, InvalidKey, http_ece.ECEException) as error:
        raise Rejected(
            "the browser's subscription has no proper keys: subscribe again", kind="bad_keys"
        ) from error


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

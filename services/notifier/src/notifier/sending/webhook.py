"""Any HTTP server: a CloudEvent 1.0 (structured JSON), signed by the rules of Standard Webhooks."""

import base64
import binascii
import hashlib
import hmac

import msgspec

from agent_contracts.channels.webhook import SECRET_PREFIX, Webhook
from agent_contracts.entities.notifications import Channel
from agent_contracts.errors import Rejected
from agent_contracts.json_lines import one_line
from agent_platform.process.clock import Clock
from egress.guard import Egress
from notifier.desk.notices import NoticeMessage
from notifier.sending.port import SenderParts
from notifier.sending.posting import post


class WebhookSender:
    """`POST`s to a webhook."""

    def __init__(self, egress: Egress, clock: Clock) -> None:
        self._egress = egress
        self._clock = clock

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """See `Sender`."""
        assert isinstance(channel.target, Webhook)
        body = cloud_event(message)
        moment = str(int(self._clock.now().timestamp()))
        headers = (
            ("content-type", "application/cloudevents+json; charset=utf-8"),
            ("webhook-id", message.id),
            ("webhook-timestamp", moment),
            ("webhook-signature", signature(channel.target.secret, message.id, moment, body)),
        )
        await post(self._egress, channel.target.url, headers, body)


def sender(parts: SenderParts) -> WebhookSender:
    """The sender of this kind."""
    return WebhookSender(parts.egress, parts.clock)


def cloud_event(message: NoticeMessage) -> bytes:
    """The message as a CloudEvent."""
    subject = f"session/{message.session_id}" if message.session_id else f"agent/{message.agent_id or '-'}"
    event = {
        "specversion": "1.0",
        "id": message.id,
        "source": "/foldline/notifier",
        "type": f"foldline.notification.{message.kind}.v1",
        "subject": subject,
        "time": message.at,
        "datacontenttype": "application/json",
        "data": {
            "title": message.title,
            "text": message.text,
            "link": message.link,
            "agent_id": message.agent_id,
            "session_id": message.session_id,
        },
    }
    return one_line(msgspec.json.encode(event))


def signature(secret: str, id: str, moment: str, body: bytes) -> str:
    """`v1,` and the HMAC-SHA256 over `id.moment.body` in base64. `Rejected` for a secret that isn't one."""
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Rejected(
            "the webhook's secret is not base64: set the channel anew", kind="bad_secret"
        ) from error
    digest = hmac.new(key, b".".join([id.encode(), moment.encode(), body]), hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()

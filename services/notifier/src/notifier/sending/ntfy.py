"""An ntfy server, by its JSON form: https://docs.ntfy.sh/publish/#publish-as-json."""

from typing import Any

import msgspec

from agent_contracts.channels.ntfy import Ntfy
from agent_contracts.entities.notifications import Channel
from agent_contracts.entities.secrets import placeholder
from egress.guard import Egress
from egress.placeholders import KnownSecret
from egress.targets import target_of
from notifier.desk.notices import NoticeMessage
from notifier.sending.port import SenderParts
from notifier.sending.posting import post

_TOKEN = "NTFY_TOKEN"
_TAGS = {
    "question": "question",
    "failure": "warning",
    "reminder": "alarm_clock",
    "summary": "bell",
    "test": "wave",
}


class NtfySender:
    """Publishes to a topic."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """See `Sender`."""
        target = channel.target
        assert isinstance(target, Ntfy)
        body: dict[str, Any] = {
            "topic": target.topic,
            "title": message.title,
            "message": message.text or message.title,
            "tags": [_TAGS[message.kind]],
        }
        if message.link:
            body["click"] = message.link
        headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
        secrets: tuple[KnownSecret, ...] = ()
        if target.token:
            headers = (*headers, ("authorization", f"Bearer {placeholder(_TOKEN)}"))
            secrets = (KnownSecret(_TOKEN, target.token, (target_of(target.server).host,)),)
        await post(self._egress, target.server, headers, msgspec.json.encode(body), secrets)


def sender(parts: SenderParts) -> NtfySender:
    """The sender of this kind."""
    return NtfySender(parts.egress)

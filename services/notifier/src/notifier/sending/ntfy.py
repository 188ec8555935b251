"""An ntfy server, by its JSON form: https://docs.ntfy.sh/publish/#publish-as-json."""

from typing import Any

import msgspec

from agent_contracts.notifications import Channel, Ntfy
from egress.guard import Egress
from notifier.desk.notices import Message
from notifier.sending.posting import post

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

    async def send(self, channel: Channel, message: Message) -> None:
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
        if target.token:
            headers = (*headers, ("authorization", f"Bearer {target.token}"))
        await post(self._egress, target.server, headers, msgspec.json.encode(body))

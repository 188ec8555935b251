"""What a chat channel is: people write to an agent from another program, and have the answer there.

`hosting.py` beside this runs one.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.log.subjects import CHATS_BUCKET
from agent_contracts.wakes import check_source
from agent_platform.nats.rights import Rights, reads_buckets
from agent_platform.services.declaration import ServiceDeclaration
from egress.settings import ApiSettings


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wrote."""

    id: str
    """The other program's id of it, the same if it comes again. It counts within the chat."""
    chat: str
    """Where it was written, and where the answer goes."""
    sender: str
    """Who wrote it, by what they can't choose themselves: this is whom a person allows."""
    name: str = ""
    """What they call themselves."""
    text: str
    """The text; empty: it was something else, such as a picture."""
    at: datetime | None = None
    """When it was written, by the other program's clock; None: it doesn't say. A repeat of an old message
    is recognised by this too."""

    def __post_init__(self) -> None:
        if self.at is not None and self.at.tzinfo is None:
            raise ValueError("the time of a message needs a time zone")


class ReceivedMessages(msgspec.Struct, frozen=True):
    """What came."""

    messages: Sequence[ChatMessage]
    cursor: str = ""
    """Where to receive from next, in the channel's own words. It is kept once the messages are taken."""


class ChatChannel(Protocol):
    """The other program. Whatever either method raises is tried again after a while; until it works,
    `foldline chats` and doctor say why it doesn't."""

    longest: int
    """Characters of one message there. A longer answer is sent in several."""

    async def receive(self, cursor: str) -> ReceivedMessages:
        """Wait for messages, a minute at the most, and give those that came after `cursor`: that of the last
        call, also after a restart; empty at the very first. What came before it was taken, and can be
        confirmed to the other program. What came after it must come again."""
        ...

    async def send(self, chat: str, text: str) -> None:
        """Send a text to a chat."""
        ...


def chat_channel(name: str, entry: str, *, settings: type[ApiSettings] = ApiSettings) -> ServiceDeclaration:
    """A chat channel of this `name` (a-z, 0-9 and -). Its settings begin with `ApiSettings`.

    It is a service, with a token of its own for reading, saying and answering. Who may write is for a person
    to say: `foldline chats allow CODE`.
    """
    check_source(name)
    keeps = (f"$KV.{CHATS_BUCKET}.{name}", f"$KV.{CHATS_BUCKET}.{name}.>")
    return ServiceDeclaration(
        name=name,
        entry=entry,
        settings=settings,
        nats_user=name,
        rights=Rights(publish=(*reads_buckets(CHATS_BUCKET), *keeps)),
        single="two would take each other's messages",
        may=(ProgramRight.READ, ProgramRight.SAY, ProgramRight.APPROVE),
    )

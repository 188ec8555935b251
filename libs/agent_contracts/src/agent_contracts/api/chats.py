"""People who write to an agent from another program, and the channels by which they do."""

from typing import Annotated

import msgspec

from agent_contracts.api.wire import Id, RequestBody, ResponseBody, check_ids
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.timestamp import Timestamp


class ChatPartner(ResponseBody, frozen=True, kw_only=True):
    """Somebody who writes to an agent from another program, or wants to."""

    id: str
    """Id of the person in this chat, to allow or remove them."""
    channel: str
    """Name of the chat channel, such as `telegram`."""
    chat: str
    """The chat, as the other program names it. Answers go there."""
    sender: str
    """The person, as the other program names them."""
    name: str
    """What they call themselves there. Nobody checked it."""
    code: str | None
    """The code that they were told, for an hour; null: they are allowed."""
    agent_id: str | None
    """Id of the agent that they write to; null: they aren't allowed yet."""
    session_id: str | None
    """Id of the session that their next message goes to; null: it begins one."""
    asked_at: Timestamp
    """When they first wrote."""
    allowed_at: Timestamp | None
    """When a person allowed them; null: nobody did."""


class RemovedChatPartner(ResponseBody, frozen=True, kw_only=True):
    """They can't write any more."""

    id: str
    """Id of the person in that chat."""


class AllowChatPartner(RequestBody, frozen=True, kw_only=True):
    """A person's confirmation that somebody may write to an agent."""

    code: Annotated[str, msgspec.Meta(max_length=20)]
    """The code that they were told. It must be theirs."""
    agent_id: Id = DEFAULT_AGENT
    """Id of the agent that they write to."""

    def __post_init__(self) -> None:
        check_ids(self.agent_id)


class ChatChannelState(ResponseBody, frozen=True, kw_only=True):
    """A chat channel that runs, or ran."""

    name: str
    """Its name: that of the service."""
    problem: str | None
    """Why nothing can be received or sent there now; null: nothing is known to be wrong."""
    heard: bool
    """Whether anything could be received or sent since it was started last; until then nobody knows whether
    it works."""
    changed_at: Timestamp
    """When it began to work, or stopped working."""

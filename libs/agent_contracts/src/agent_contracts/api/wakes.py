"""Wakes, their credentials, and the inbox."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.wire import Id, Page, RequestBody, ResponseBody, check_ids
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.timestamp import Timestamp
from agent_contracts.wakes import LARGEST_WAKE, LONGEST_MESSAGE, Priority, SourceName


class AllowedWakes(ResponseBody, frozen=True, kw_only=True):
    """Credentials of a service that may wake sessions, without their token."""

    name: str
    """Name of the credentials: the source of its wakes."""
    created_at: Timestamp
    agents: list[str]
    """Ids of the agents that it may wake; empty: all."""
    rate: int
    """Wakes that it may send per minute."""
    size: int
    """Greatest size of one wake, in bytes."""


class MadeCredentials(ResponseBody, frozen=True, kw_only=True):
    """New credentials of a service."""

    credentials: AllowedWakes
    """What the service may do."""
    token: str
    """Shown this once: the bearer token for `POST /wake`, and the password for NATS."""
    nats_user: str
    """User name for NATS."""
    nats_inbox: str
    """Prefix of the service's inbox at NATS."""
    nats_url: str
    """Address of NATS, as this server reaches it."""


class RevokedCredentials(ResponseBody, frozen=True, kw_only=True):
    """The credentials are invalid from now on."""

    name: str
    """Name of the credentials."""


class InboxWake(ResponseBody, frozen=True, kw_only=True):
    """A wake that waits in an agent's inbox."""

    id: str
    """Id of the entry, to hand it to a session or dismiss it."""
    agent_id: str
    source: str
    """Name of the service's credentials."""
    wake_id: str
    """The id that the service gave it."""
    wake_type: str | None
    """Type of the service's event; null: none."""
    priority: Priority
    """When the service wanted it delivered."""
    message: str
    """The message for the agent."""
    data: Any
    """Data of any shape that came with it; null: none."""
    received_at: Timestamp
    """When it came."""
    expires_at: Timestamp
    """When it is removed from the inbox."""
    session_id: str | None
    """Id of the session that it was meant for; null: it named none."""


class Inbox(Page[InboxWake], frozen=True, kw_only=True):
    """A page of the wakes that wait, oldest first."""

    total: int


class WakeReceipt(ResponseBody, frozen=True, kw_only=True):
    """What became of a wake."""

    became: Literal["delivered", "begun", "kept"]
    """`delivered`: it is in a session. `begun`: a session was created for it. `kept`: it is in the agent's
    inbox."""
    agent_id: str
    session_id: str | None
    """Id of the session that has it; null: it is in the inbox."""
    sequence: int | None
    """Number of the event in the session; null: it is in the inbox."""
    inbox_id: str | None
    """Id of the entry in the inbox; null: a session has it."""
    repeated: bool
    """Whether the same wake was sent before. Then this is what became of it then."""


MOST_AGENTS = 100
LARGEST_RATE = 100_000
RATE = 60
SIZE = 64 * 1024
_Line = r"^[^\x00-\x1f\x7f]*$"


class NewCredentials(RequestBody, frozen=True, kw_only=True):
    """A service that may wake sessions."""

    name: SourceName
    """Name of the credentials: 1 to 24 of a-z, 0-9 and `-`, a letter first. It is the source of the service's
    wakes."""
    agents: Annotated[list[Id], msgspec.Meta(max_length=MOST_AGENTS)] = msgspec.field(default_factory=list)
    """Ids of the agents that it may wake; empty: all."""
    rate: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_RATE)] = RATE
    """Wakes that it may send per minute."""
    size: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WAKE)] = SIZE
    """Greatest size of one wake, in bytes."""

    def __post_init__(self) -> None:
        check_ids(*self.agents)


class WakeTarget(RequestBody, frozen=True, kw_only=True):
    """The session to hand a wake to."""

    session_id: Id
    """Id of the session."""

    def __post_init__(self) -> None:
        check_ids(self.session_id)


class WakeRequest(RequestBody, frozen=True, kw_only=True):
    """A message for an agent's inbox."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_MESSAGE)]
    """The message for the agent."""
    priority: Priority = "next"
    """`now`: start a turn, or join the running one. `next`: wait for the next turn, or start one if idle.
    `later`: stay in the inbox for 30 days."""
    source: Annotated[str, msgspec.Meta(max_length=80, pattern=_Line)] = ""
    """Who says so, for the agent to read; empty: nobody in particular."""
    dedup_key: Annotated[str, msgspec.Meta(max_length=256, pattern=_Line)] = ""
    """A key that is accepted once in 24 hours: a repeat changes nothing. Empty: no check."""
    agent_id: Id = DEFAULT_AGENT
    """Id of the agent."""

    def __post_init__(self) -> None:
        check_ids(self.agent_id)

"""Wakes, their credentials, and the inbox."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.wire import Id, Page, RequestBody, ResponseBody, check_ids
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.timestamp import Timestamp
from agent_contracts.wakes import LARGEST_WAKE, LONGEST_MESSAGE, Priority


class AllowedWakes(ResponseBody, frozen=True, kw_only=True):
    """Credentials without their secret. No `agents`: any. `rate`: wakes a minute, `size`: bytes of one."""

    name: str
    created_at: Timestamp
    agents: list[str]
    rate: int
    size: int


class MadeCredentials(ResponseBody, frozen=True, kw_only=True):
    """New credentials. The `token` is shown this once: for `POST /wakes` as a bearer token, for NATS as the
    password of `nats_user`, whose inbox is `nats_inbox`, at `nats_url` (as this server reaches NATS)."""

    credentials: AllowedWakes
    token: str
    nats_user: str
    nats_inbox: str
    nats_url: str


class RevokedCredentials(ResponseBody, frozen=True, kw_only=True):
    """They count no more, at once."""

    name: str


class InboxWake(ResponseBody, frozen=True, kw_only=True):
    """A wake that waits until `expires_at`. `session_id`: the session that it was meant for, if it named
    one."""

    id: str
    agent_id: str
    source: str
    wake_id: str
    wake_type: str | None
    priority: Priority
    message: str
    data: Any
    received_at: Timestamp
    expires_at: Timestamp
    session_id: str | None


class Inbox(Page[InboxWake], frozen=True, kw_only=True):
    """A page, oldest first; `total` counts all."""

    total: int


class WakeReceipt(ResponseBody, frozen=True, kw_only=True):
    """What became of a wake. `delivered`: it is an input of a session, at `sequence` of the log; `begun`: of
    a session that was begun for it; `kept`: it is in the agent's inbox, as `inbox_id`. `repeated`: the same
    was said before, and this is what became of it then."""

    became: Literal["delivered", "begun", "kept"]
    agent_id: str
    session_id: str | None
    sequence: int | None
    inbox_id: str | None
    repeated: bool


MOST_AGENTS = 100
LARGEST_RATE = 100_000
RATE = 60
SIZE = 64 * 1024
_Line = r"^[^\x00-\x1f\x7f]*$"


class NewCredentials(RequestBody, frozen=True, kw_only=True):
    """A service by its `name` (1 to 24 of a-z, 0-9 and -, a letter first), and what it is to be allowed. No
    `agents`: to wake sessions of any."""

    name: Annotated[str, msgspec.Meta(max_length=64)]
    agents: Annotated[list[Id], msgspec.Meta(max_length=MOST_AGENTS)] = msgspec.field(default_factory=list)
    rate: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_RATE, description="wakes a minute")] = RATE
    size: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WAKE, description="bytes of one wake")] = SIZE

    def __post_init__(self) -> None:
        check_ids(*self.agents)


class WakeTarget(RequestBody, frozen=True, kw_only=True):
    """The session that is to be told."""

    session_id: Id

    def __post_init__(self) -> None:
        check_ids(self.session_id)


class WakeRequest(RequestBody, frozen=True, kw_only=True):
    """A message for an agent. `source` says who says so; the same `dedup_key` is taken once in 24 hours."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_MESSAGE)]
    priority: Priority = "next"
    source: Annotated[str, msgspec.Meta(max_length=80, pattern=_Line)] = ""
    dedup_key: Annotated[str, msgspec.Meta(max_length=256, pattern=_Line)] = ""
    agent_id: Id = DEFAULT_AGENT

    def __post_init__(self) -> None:
        check_ids(self.agent_id)

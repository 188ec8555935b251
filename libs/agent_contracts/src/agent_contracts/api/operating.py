"""What operators see: dead letters, workers, sessions that are stuck, health."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.wire import Page, RequestBody, ResponseBody
from agent_contracts.questions.queries import UnstickReport
from agent_contracts.sessions.session_view import SessionStatus
from agent_contracts.timestamp import Timestamp


class Health(ResponseBody, frozen=True, kw_only=True):
    """Whether this gateway can work: `checks` names what it needs, and `ok` or what is wrong."""

    status: Literal["ok", "failing"]
    checks: dict[str, str] = msgspec.field(default_factory=dict)


class DeadLetter(ResponseBody, frozen=True, kw_only=True):
    """A message that a consumer gave up: how often it tried, and why it stopped. `address` and `sequence` are
    those of the message and its record in their stream; `number` is the number of this dead letter."""

    number: int
    created_at: Timestamp | None
    stream: str
    consumer: str
    address: str
    sequence: int
    subject: str
    session_id: str | None
    call_id: str | None
    reason: str
    attempts: int


class DeadLetters(Page[DeadLetter], frozen=True, kw_only=True):
    """A page, newest first; `total` counts all."""

    total: int


class DeadMessage(ResponseBody, frozen=True, kw_only=True):
    """A dead letter with its message, as far as it is stored and can be read. `ended`: how its call ended
    nevertheless, as an event's type."""

    letter: DeadLetter
    type: str | None
    body: Any
    problem: str | None
    ended: str | None


class DeadLetterResult(ResponseBody, frozen=True, kw_only=True):
    """What came of it. The letter is gone."""

    number: int
    done: str


class Queue(ResponseBody, frozen=True, kw_only=True):
    """How far the workers of a durable consumer are: messages that wait, are in hand, and of these not for
    the first time. `delivered_at`: when it was last given one; null: never since its server started."""

    consumer: str
    stream: str
    waiting: int
    in_hand: int
    redelivered: int
    delivered_at: Timestamp | None


class WorkInHand(ResponseBody, frozen=True, kw_only=True):
    """A message that a process works on: its session, the call that it asks for, and since when."""

    sequence: int
    session_id: str | None
    call_id: str | None
    started_at: Timestamp


class Worker(ResponseBody, frozen=True, kw_only=True):
    """One process at one consumer. `alive`: it was heard within 30 s. `capacity`: the number of messages
    that it can work on at a time."""

    consumer: str
    member: str
    host: str
    process: int
    alive: bool
    started_at: Timestamp
    seen_at: Timestamp
    capacity: int
    in_hand: list[WorkInHand]


class PackOffer(ResponseBody, frozen=True, kw_only=True):
    """The tools of a pack, as its runners published them. `consumer`: who runs these; null: the engine
    answers them itself."""

    pack: str
    version: str
    consumer: str | None
    tools: list[str]


class ProjectionProgress(ResponseBody, frozen=True, kw_only=True):
    """How far the tables that people read are: the last event in them, and the last one of the log."""

    sequence: int
    last_sequence: int


class WorkOverview(ResponseBody, frozen=True, kw_only=True):
    """Who works, how much waits, and what runners offer. `projected` is null where the tables can't be
    read."""

    workers: list[Worker]
    queues: list[Queue]
    offers: list[PackOffer]
    projected: ProjectionProgress | None


class AwaitedCall(ResponseBody, frozen=True, kw_only=True):
    """A call that has no ending yet: which model or tool was asked, and when."""

    what: Literal["model", "tool"]
    name: str | None
    call_id: str
    requested_at: Timestamp | None


class BusySession(ResponseBody, frozen=True, kw_only=True):
    """A session that is at work or was a moment ago, with what it did in the window."""

    id: str
    agent_id: str
    title: str | None
    status: SessionStatus
    updated_at: Timestamp
    model_calls: int
    """Model calls that it asked for in the window."""
    tool_calls: int
    """Tool calls that it asked for in the window."""
    tokens: int
    """Tokens of the model calls that ended in the window."""
    open_call: AwaitedCall | None
    """The oldest call that it waits for; null: none."""


class Activity(Page[BusySession], frozen=True, kw_only=True):
    """The sessions with the most calls in the last `window_s` seconds, and all that are at work, as far as
    the limit goes. It is always one page."""

    window_s: int


class Stuck(Page[UnstickReport], frozen=True, kw_only=True):
    """Sessions that wait for something that can't come, and sessions that could not be checked. `checked`:
    the number of sessions of this page that were checked."""

    checked: int


MAX_NOTE = 10_000


class SettleOutcome(RequestBody, frozen=True, kw_only=True):
    """What a person found out; the note is told to the model."""

    happened: bool
    note: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] = ""


class UnstickRequest(RequestBody, frozen=True, kw_only=True):
    """Leave calls alone that were asked for less than `older_than_s` seconds ago."""

    older_than_s: Annotated[float, msgspec.Meta(ge=0, le=10**9)] = 60.0

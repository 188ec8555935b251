"""What operators see: dead letters, workers, sessions that are stuck, health."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.wire import Page, RequestBody, ResponseBody
from agent_contracts.questions.queries import UnstickReport
from agent_contracts.sessions.session_view import SessionStatus
from agent_contracts.timestamp import Timestamp

STORAGE_CHECK = "storage"
"""The check whether anything can be stored."""


class Health(ResponseBody, frozen=True, kw_only=True):
    """Whether this gateway can work."""

    status: Literal["ok", "failing"]
    """`ok`, or `failing`: at least one check is."""
    checks: dict[str, str] = msgspec.field(default_factory=dict)
    """By name of what it needs: `ok`, or what is wrong."""


class DeadLetter(ResponseBody, frozen=True, kw_only=True):
    """A message that a consumer gave up."""

    number: int
    """Number of the dead letter, to retry or discard it by."""
    created_at: Timestamp | None
    stream: str
    """Name of the JetStream stream that the message is in."""
    consumer: str
    """Name of the consumer that gave it up."""
    address: str
    """Address of the message in its stream."""
    sequence: int
    """Number of the message's record in its stream."""
    subject: str
    """NATS subject of the message."""
    session_id: str | None
    """Id of the session that it belongs to; null: none."""
    call_id: str | None
    """Id of the tool or model call that it asked for; null: none."""
    reason: str
    """Why the consumer gave it up, in words."""
    attempts: int
    """How often the consumer tried."""


class DeadLetters(Page[DeadLetter], frozen=True, kw_only=True):
    """A page of dead letters, newest first."""

    total: int


class DeadMessage(ResponseBody, frozen=True, kw_only=True):
    """A dead letter with its message."""

    letter: DeadLetter
    """The dead letter."""
    type: str | None
    """Type of the message; null: it can't be read."""
    body: Any
    """The message; null: it can't be read."""
    problem: str | None
    """Why the message can't be read; null: it can."""
    ended: str | None
    """Type of the event that ended its call nevertheless; null: none did."""


class DeadLetterResult(ResponseBody, frozen=True, kw_only=True):
    """What was done about a dead letter. It is gone."""

    number: int
    """Number that the dead letter had."""
    done: str
    """What was done, in words."""


class Queue(ResponseBody, frozen=True, kw_only=True):
    """The messages of a durable consumer."""

    consumer: str
    """Name of the consumer."""
    stream: str
    """Name of the JetStream stream that it reads."""
    waiting: int
    """Number of messages that wait for a worker."""
    in_hand: int
    """Number of messages that workers have now."""
    redelivered: int
    """Number of those that were delivered before."""
    delivered_at: Timestamp | None
    """When a worker was last given a message; null: never since the consumer's server started."""


class WorkInHand(ResponseBody, frozen=True, kw_only=True):
    """A message that a process works on."""

    sequence: int
    """Number of the message's record in its stream."""
    session_id: str | None
    """Id of the session that it belongs to; null: none."""
    call_id: str | None
    """Id of the call that it asks for; null: none."""
    started_at: Timestamp
    """When the process took it."""


class Worker(ResponseBody, frozen=True, kw_only=True):
    """One process at one consumer."""

    consumer: str
    """Name of the consumer."""
    member: str
    """Name of the process among the consumer's workers."""
    host: str
    """Name of the machine that it runs on."""
    process: int
    """Process id on that machine."""
    alive: bool
    """Whether it was heard from within 30 seconds."""
    started_at: Timestamp
    """When the process started."""
    seen_at: Timestamp
    """When it was last heard from."""
    capacity: int
    """Number of messages that it can work on at a time."""
    in_hand: list[WorkInHand]
    """The messages that it works on now."""


class PackOffer(ResponseBody, frozen=True, kw_only=True):
    """The tools of a pack, as its workers published them."""

    pack: str
    """Name of the pack."""
    version: str
    """Version of the pack."""
    consumer: str | None
    """Name of the consumer whose workers run the tools. Null: the session engine answers them."""
    tools: list[str]
    """Names of the tools."""


class ProjectionProgress(ResponseBody, frozen=True, kw_only=True):
    """How far the tables behind lists are."""

    sequence: int
    """Number of the last event that is in the tables."""
    last_sequence: int
    """Number of the last event in the log."""


class WorkOverview(ResponseBody, frozen=True, kw_only=True):
    """The workers, what waits for them, and the tools that they offer."""

    workers: list[Worker]
    """The processes that work."""
    queues: list[Queue]
    """How much waits, by consumer."""
    offers: list[PackOffer]
    """The tools of each pack."""
    projected: ProjectionProgress | None
    """How far the tables behind lists are; null: they can't be read."""


class AwaitedCall(ResponseBody, frozen=True, kw_only=True):
    """A call that has not ended yet."""

    what: Literal["model", "tool"]
    """Whether a model or a tool was asked."""
    name: str | None
    """Name of the model or the tool; null: not known yet."""
    call_id: str
    requested_at: Timestamp | None
    """When it was requested; null: unknown."""


class BusySession(ResponseBody, frozen=True, kw_only=True):
    """A session that is or was at work, with what it did in the window."""

    id: str
    """Id of the session."""
    agent_id: str
    title: str | None
    status: SessionStatus
    """Whether it is at work, waits for a person, or how it ended."""
    updated_at: Timestamp
    model_calls: int
    """Model calls that it asked for in the window."""
    tool_calls: int
    """Tool calls that it asked for in the window."""
    tokens: int
    """Tokens of the model calls that ended in the window."""
    open_call: AwaitedCall | None
    """The oldest call that it waits for; null: none."""


class ModelPace(ResponseBody, frozen=True, kw_only=True):
    """How a model answered the calls that ended in the window."""

    calls: int
    """Number of calls that ended."""
    failed: dict[str, int]
    """Number of those that failed, by kind of failure."""
    first_token_ms: int | None
    """Milliseconds until the first token, in the median; null: no call gave one."""
    call_ms: int | None
    """Milliseconds that a call took, in the median; null: unknown."""


class Activity(Page[BusySession], frozen=True, kw_only=True):
    """The sessions with the most calls in a window of time, and all that are at work. Always one page."""

    window_s: int
    """Length of the window, in seconds, up to now."""
    models: dict[str, ModelPace]
    """How the models answered, by name; those that ended no call in the window are left out."""


class Stuck(Page[UnstickReport], frozen=True, kw_only=True):
    """Sessions that wait for something that can't come, and sessions that could not be checked."""

    checked: int
    """Number of sessions of this page that were checked."""


MAX_NOTE = 10_000


class SettleOutcome(RequestBody, frozen=True, kw_only=True):
    """What a person found out about a call whose outcome was unknown."""

    happened: bool
    """Whether the call did its work."""
    note: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] = ""
    """More about it, for the model."""


class UnstickRequest(RequestBody, frozen=True, kw_only=True):
    """Which waits to look at."""

    older_than_s: Annotated[float, msgspec.Meta(ge=0, le=10**9)] = 60.0
    """Leave calls alone that were requested less than this number of seconds ago."""

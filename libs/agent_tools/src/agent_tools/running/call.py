"""A tool call as its request in the log tells it."""

import copy
from datetime import UTC, datetime
from typing import Any

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.outside import Sources, with_news
from agent_contracts.policies import Grant
from agent_contracts.session_events.decisions import ResumedCall, ToolCallRequested
from agent_contracts.tool_spec import Effect


class CallKey(msgspec.Struct, frozen=True):
    """Which call: its id is unique within its session."""

    session: SessionKey
    call_id: CallId

    def __str__(self) -> str:
        return f"{self.session.session_id}:{self.call_id}"


class RequestedCall(msgspec.Struct, frozen=True):
    """A requested call. `sequence` is its request's place in the log, `requested_at` its time (UTC).

    `outside` is where material came from that the model had; it was `unswayed` by that if it had asked for
    the call before, and otherwise `urls` of the arguments were known. `traceparent` carries the trace on. Of
    a call that a person approved, `approved` is the hash of what was approved; its code is as of event
    `code_at`, which is that of the request for any other. `grants` are what people allowed of what it may
    send. One that had paused was `resumed`. `open_tasks` is how many tasks its code may end.
    """

    key: CallKey
    sequence: int
    requested_at: datetime
    tool: str
    arguments: dict[str, Json]
    effect: Effect
    outside: Sources = ()
    traceparent: str | None = None
    approved: str | None = None
    code_at: int = 0
    grants: tuple[Grant, ...] = ()
    unswayed: bool = False
    urls: tuple[str, ...] = ()
    resumed: ResumedCall | None = None
    open_tasks: int = 0


def call_from(recorded: RecordedEvent[Any], told: Sources = ()) -> RequestedCall:
    """The call that an event asks for; `told` are the sources that the request named which it refers to.
    Raises `Permanent` for any other event."""
    event = recorded.event
    if not isinstance(event, ToolCallRequested):
        raise Permanent(f"not a request to run a tool: {recorded.envelope.type}", kind="bad_event")
    return RequestedCall(
        key=CallKey(parse_session_subject(recorded.subject).key, event.call_id),
        sequence=recorded.sequence,
        requested_at=_time(recorded.envelope.time),
        tool=event.tool,
        arguments=copy.deepcopy(event.arguments),  # a tool may change them; the event is others' too
        effect=event.effect,
        outside=with_news(told, event.outside),
        traceparent=recorded.envelope.traceparent,
        approved=event.approved,
        code_at=recorded.sequence if event.code_at is None else event.code_at,
        grants=event.grants,
        unswayed=event.unswayed,
        urls=event.urls,
        resumed=event.resumed,
        open_tasks=event.open_tasks,
    )


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError as error:
        raise Permanent(f"not a time: {text!r}", kind="bad_envelope") from error

"""Timers: what a session is to be told at a time. The server keeps them, by message schedules (ADR-51)."""

from typing import Literal

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId, CallId, SessionId, check_id
from agent_contracts.log import subjects

SCHEDULE = "Nats-Schedule"
SCHEDULE_TARGET = "Nats-Schedule-Target"
SCHEDULE_TTL = "Nats-Schedule-TTL"
KEPT_WHEN_DUE = "168h"
"""How long the server keeps a timer that came due: so long nobody may be there to act on it."""


def schedule(due_at: str, target: str) -> dict[str, str]:
    """What makes the server publish a message again, on subject `target`, when it is time (or at once)."""
    return {SCHEDULE: f"@at {due_at}", SCHEDULE_TARGET: target, SCHEDULE_TTL: KEPT_WHEN_DUE}


class Timer(msgspec.Struct, frozen=True, omit_defaults=True):
    """When a pausing call expires, or goes on by itself, a session's running time is over, a held sub-session
    may begin (that of call `call_id`), or a failed turn goes on (that of model call `call_id`); `due_at` is
    RFC 3339 in UTC.

    A session has one timer for each `purpose` and call: set again, it replaces what was set before. A failed
    turn that may go on as soon as the model server `server` answers again is found by that server; once it
    does answer, the timer is set again as `answered`, `not_before` the time that the server asked for, and
    counts as due however early it is.
    """

    agent_id: AgentId
    session_id: SessionId
    purpose: Literal["call_expiry", "call_resumes", "child_start", "run_timeout", "retry"]
    due_at: str
    call_id: CallId | None = None
    server: str | None = None
    not_before: str | None = None
    answered: bool = False

    @property
    def id(self) -> str:
        """One safe subject token, derived. `~` stands in no id, so two timers never share one."""
        return f"{self.session_id}~{self.call_id or self.purpose}"

    @property
    def subject(self) -> str:
        """Where it is set."""
        return subjects.timer_subject(self.id, self.server)

    def headers(self) -> dict[str, str]:
        """What makes the server publish it again, on its `due` subject, when it is time (or at once)."""
        return schedule(self.due_at, subjects.due_subject(self.id))


class ScheduledTimer(msgspec.Struct, frozen=True):
    """The next time of a reminder or a schedule (`kind`) of an agent; `due_at` is RFC 3339 in UTC. Each has
    one timer: set again, it replaces what was set before."""

    agent_id: AgentId
    kind: Literal["reminder", "schedule"]
    name: str
    due_at: str

    @property
    def subject(self) -> str:
        """Where it is set."""
        return subjects.scheduled_timer_subject(self.agent_id, EntityKind(self.kind), self.name)

    @property
    def due_subject(self) -> str:
        """Where it comes due."""
        return subjects.scheduled_due_subject(self.agent_id, EntityKind(self.kind), self.name)

    def headers(self) -> dict[str, str]:
        """What makes the server publish it again, on its `due` subject, when it is time (or at once)."""
        return schedule(self.due_at, self.due_subject)


def read_scheduled(data: bytes) -> ScheduledTimer:
    """A reminder's or schedule's timer by its body; `Permanent` if it is none."""
    try:
        timer = msgspec.json.decode(data, type=ScheduledTimer)
        check_id(timer.agent_id, "agent id")
    except (msgspec.DecodeError, UnicodeDecodeError, Rejected) as error:
        raise Permanent(f"not a timer: {error}", kind="bad_timer") from error
    return timer


def encode_timer(timer: Timer | ScheduledTimer) -> bytes:
    """A timer's body: JSON."""
    return msgspec.json.encode(timer)


def read_timer(data: bytes) -> Timer:
    """A timer by its body; `Permanent` if it is none."""
    try:
        timer = msgspec.json.decode(data, type=Timer)
        check_id(timer.agent_id, "agent id")
        check_id(timer.session_id, "session id")
    except (msgspec.DecodeError, UnicodeDecodeError, Rejected) as error:
        raise Permanent(f"not a timer: {error}", kind="bad_timer") from error
    return timer


def decode_timer(subject: str, data: bytes) -> Timer:
    """The timer that came due on `subject`; `Permanent` if it is none, or another's."""
    timer = read_timer(data)
    if subject != subjects.due_subject(timer.id):
        raise Permanent(f"the timer {timer.id} came due on {subject}", kind="bad_timer")
    return timer

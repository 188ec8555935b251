"""The subjects of a session: which session it is, which event stands where, and who wrote it."""

import re
from functools import lru_cache

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.event import Event, kind_of
from agent_contracts.ids import AgentId, SessionId, check_id, partition_of
from agent_contracts.log.record.codec import type_of
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn

MODEL = "model"
"""Who is to act on the request of a model call."""


class SessionKey(msgspec.Struct, frozen=True, order=True):
    """A session and the agent whose it is: together they say where in the log its events lie.

    Every subject raises `Rejected` if an id is not well formed.
    """

    agent_id: AgentId
    session_id: SessionId

    @property
    def prefix(self) -> str:
        """`ses.<aid>.<p>.<sid>`: everything of the session lies below it."""
        return _prefix(self.agent_id, self.session_id)

    @property
    def everything(self) -> str:
        """The wildcard that matches the whole session and nothing else."""
        return self.prefix + ".>"

    @property
    def deltas(self) -> str:
        """Core NATS (not stored): pieces of a model's answer as they arrive."""
        return f"live.{self.prefix[4:]}.delta"

    def sibling(self, session_id: SessionId) -> "SessionKey":
        """Another session of the same agent."""
        return SessionKey(self.agent_id, session_id)

    def input(self, event_type: str) -> str:
        """Where an input goes: `….in.<kind>`."""
        return f"{self.prefix}.in.{kind_of(event_type)}"

    def decision(self, event_type: str, worker: str | None = None) -> str:
        """Where a decision goes: `….ev.<type>[.<worker>]`. A `RunsOn`, or `MODEL`, is to act on it."""
        subject = f"{self.prefix}.ev.{kind_of(event_type)}"
        return subject if worker is None else f"{subject}.{worker}"

    @property
    def claims(self) -> str:
        """Where runners claim external calls."""
        return f"{self.prefix}.claim"

    @property
    def results(self) -> str:
        """Where results of calls go that their workers write themselves."""
        return f"{self.prefix}.result"


@lru_cache(maxsize=4096)
def _prefix(agent_id: AgentId, session_id: SessionId) -> str:
    check_id(agent_id, "agent id")
    check_id(session_id, "session id")
    return f"ses.{agent_id}.{partition_of(session_id)}.{session_id}"


_DECISION = ".ev."

_CLAIM = ".claim"

_PARTITION = re.compile(r"[0-9]{1,9}")


class SessionSubject(msgspec.Struct, frozen=True):
    """The parts of a `ses.…` subject; `rest` is what follows the session id, such as `in.user_message`."""

    key: SessionKey
    partition: int
    rest: str


@lru_cache(maxsize=4096)
def parse_session_subject(subject: str) -> SessionSubject:
    """Split a `ses.…` subject; `Permanent` if it is none."""
    parts = subject.split(".", 4)
    if len(parts) != 5 or parts[0] != "ses" or not _PARTITION.fullmatch(parts[2]):
        raise Permanent(f"not a session subject: {subject!r}", kind="bad_subject")
    return SessionSubject(SessionKey(AgentId(parts[1]), SessionId(parts[3])), int(parts[2]), parts[4])


def is_decision(subject: str) -> bool:
    """Whether the engine wrote there: a decision, even where the event's type is also a runner's result."""
    return _DECISION in subject


def is_claim(subject: str) -> bool:
    """Whether a runner claimed a call there."""
    return subject.endswith(_CLAIM)


ENGINE_AS_RUNNER = "engine"
"""The `runner` of a tool call that the engine answers itself: its result is a decision."""


def subject_of(event: SessionEvent, session: SessionKey) -> str:
    """The subject of an input, a claim, a result or a decision of this session.

    It has no id of a call: each subject costs nats-server memory for ever, and to check what was last in a
    session takes it the longer the more subjects the session has.
    """
    match event:
        case results.CallClaimed():
            return session.claims
        case event if answers_its_own_tool(event):
            return session.decision(type_of(event), RunsOn.ENGINE.value)
        case event if isinstance(event, results.Result):
            return session.results
        case event if isinstance(event, inputs.Input):
            return session.input(type_of(event))
        case _:
            return session.decision(type_of(event), _work_of(event))


def answers_its_own_tool(event: Event) -> bool:
    """Whether it is what the engine answered to a call of one of its own tools."""
    return isinstance(event, results.ToolCallEnd) and event.runner == ENGINE_AS_RUNNER


def _work_of(decision: SessionEvent) -> str | None:
    """Who is to act on the decision: the subject says it, so that consumers can filter."""
    match decision:
        case ev.ModelCallRequested():
            return MODEL
        case ev.ToolCallRequested(runs_on=runs_on):
            return runs_on.value
        case _:
            return None

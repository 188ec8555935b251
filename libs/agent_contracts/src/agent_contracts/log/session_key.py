"""Which session, and the subjects that belong to it."""

from functools import lru_cache

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId, check_id, partition_of
from agent_contracts.tool_spec import RunsOn

_RUNS_ON_MODEL = "model"


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

    def decision(self, event_type: str, call: tuple[RunsOn | None, CallId] | None = None) -> str:
        """Where a decision goes: `….ev.<type>[.<runs_on>.<call_id>]`.

        A call on no `RunsOn` is a model call.
        """
        subject = f"{self.prefix}.ev.{kind_of(event_type)}"
        if call is None:
            return subject
        runs_on, call_id = call
        return f"{subject}.{runs_on.value if runs_on else _RUNS_ON_MODEL}.{check_id(call_id, 'call id')}"

    def claim(self, call_id: CallId) -> str:
        """Where a runner claims an external call."""
        return f"{self.prefix}.claim.{check_id(call_id, 'call id')}"

    def result(self, call_id: CallId) -> str:
        """Where the one result of a call goes."""
        return f"{self.prefix}.result.{check_id(call_id, 'call id')}"


@lru_cache(maxsize=256)
def kind_of(event_type: str) -> str:
    """The word between `foldline.session.` and the version: `user_message`."""
    return event_type.rsplit(".", 2)[1]


@lru_cache(maxsize=4096)
def _prefix(agent_id: AgentId, session_id: SessionId) -> str:
    check_id(agent_id, "agent id")
    check_id(session_id, "session id")
    return f"ses.{agent_id}.{partition_of(session_id)}.{session_id}"

"""Which material from outside a model has when it decides, as policies see it. Pure."""

from agent_contracts.outside import Sources, joined
from agent_contracts.policies import OutsideSource
from session_domain.domain.state import Session


def outside_of(state: Session, kept: Sources = ()) -> tuple[OutsideSource, ...]:
    """Where it came from, oldest first: what the session's context holds, and what the agent `kept` and is
    shown besides. What is no longer told apart has no name."""
    return tuple(OutsideSource(one.kind, one.name, one.at or "") for one in joined(state.outside, kept))

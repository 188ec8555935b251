"""Which material from outside a session's present context holds. Pure."""

from agent_contracts.policies import OutsideSource
from session_domain.domain.state import Session


def outside_of(_state: Session) -> tuple[OutsideSource, ...]:
    """Where it came from, oldest first."""
    return ()

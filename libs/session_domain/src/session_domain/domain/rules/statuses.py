"""Where events lead a session to. Coded once: for the fold, and for the rows that people look at."""

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.union import SessionEvent
from session_domain.domain.state import Status


def status_after(status: Status, event: SessionEvent) -> Status:
    """The session's status after an event, of one that doesn't point at the past (a fork, a rewind)."""
    match event:
        case ev.TurnStarted() | ev.ModelCallRequested():
            return Status.RUNNING
        case ev.ToolCallRequested() if status is Status.WAITING_FOR_INPUT:
            return Status.RUNNING  # what a person has allowed
        case ev.Waiting():
            return Status.WAITING_FOR_INPUT
        case ev.BecameIdle() | ev.TurnFailed():
            return Status.IDLE
        case ev.TokenLimitHit():
            return Status.TOKEN_LIMIT_REACHED
        case inputs.Continued() if status is Status.TOKEN_LIMIT_REACHED:
            return Status.RUNNING
        case inputs.Reopened() if status is Status.COMPLETED:
            return Status.IDLE
        case ev.Completed():
            return Status.COMPLETED
        case ev.Failed():
            return Status.ERROR
        case _:
            return status


def status_forked_from(past: Status) -> Status:
    """A fork's first status: in the middle of a turn it goes on with that turn."""
    return Status.RUNNING if past is Status.RUNNING else Status.IDLE


def status_gone_back_to(past: Status) -> Status:
    """The status after a rewind to a session that had status `past`: nothing goes on by itself."""
    return Status.TOKEN_LIMIT_REACHED if past is Status.TOKEN_LIMIT_REACHED else Status.IDLE

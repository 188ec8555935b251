"""How long a session has been running: the time that its limit counts. By its events' times, no clock."""

from agent_contracts.errors import LogCorrupt
from agent_contracts.moments import milliseconds_between
from session_domain.domain.changes import SessionChanges
from session_domain.domain.state import SessionState, Status


def counted(state: SessionState, status: Status, time: str) -> SessionChanges:
    """What an event at `time` that leads to `status` changes of the running time.

    A stretch whose end has an earlier time than its beginning (a clock was set back) counts as nothing.
    Raises `LogCorrupt` for what is not a time.
    """
    was_running = state.status is Status.RUNNING
    if was_running is (status is Status.RUNNING):
        return {}
    if not was_running:
        return {"running_since": time}
    try:
        stretch = milliseconds_between(state.running_since or time, time)
    except ValueError as error:
        raise LogCorrupt(f"the session ran from {state.running_since} to {time}: {error}") from error
    return {"running_since": None, "ran_ms": state.ran_ms + max(0, stretch)}

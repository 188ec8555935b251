"""Which timers a session needs. Asked when it may need one, and again when one came due: is it time?"""

import math

from agent_contracts.errors import LogCorrupt
from agent_contracts.log.timers import Timer
from agent_contracts.moments import later_by
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import SessionState, Status, TurnFailure


def timers(state: SessionState) -> list[Timer]:
    """The timers that must be set as the session stands: none is any use once the session has gone on.

    Each moves only to a later time: a session that waits runs out of running time later.
    """
    if state.status.is_terminal:
        return []
    wanted = [
        Timer(state.agent_id, state.session_id, "call_expiry", call.expires_at, call.call_id)
        for call in state.open_calls()
        if call.status is CallStatus.PENDING and call.expires_at and call.call_id not in state.expired
    ]
    wanted += [
        Timer(state.agent_id, state.session_id, "call_resumes", call.resume.at, call.call_id)
        for call in state.open_calls()
        if call.status is CallStatus.PENDING and call.resume is not None and call.resume.at is not None
    ]
    failed = state.failed_turn
    if failed is not None and failed.retry_at is not None and _waits_to_retry(state):
        wanted.append(_retry(state, failed, failed.retry_at))
    wanted += [
        Timer(state.agent_id, state.session_id, "child_start", planned.waits.not_before, child.call_id)
        for child in state.children
        if (planned := child.planned) is not None
        and planned.waits is not None
        and planned.waits.not_before is not None
        and not child.may_begin
    ]
    over_at = _out_of_time_at(state)
    if over_at is not None:
        wanted.append(Timer(state.agent_id, state.session_id, "run_timeout", over_at))
    return wanted


def _retry(state: SessionState, failed: TurnFailure, due_at: str) -> Timer:
    return Timer(
        state.agent_id,
        state.session_id,
        "retry",
        due_at,
        failed.call_id,
        server=failed.server,
        not_before=failed.not_before,
    )


def _waits_to_retry(state: SessionState) -> bool:
    return state.status is Status.IDLE and not state.retrying


def _out_of_time_at(state: SessionState) -> str | None:
    """When the session will have run for as long as it may, if it goes on running."""
    limit_s, since = state.limits.run_timeout_s, state.running_since
    if limit_s is None or since is None or state.failure is not None:
        return None
    try:
        return later_by(since, max(0, math.ceil(limit_s * 1000) - state.ran_ms))
    except ValueError as error:
        raise LogCorrupt(f"the session runs since {since}: {error}") from error

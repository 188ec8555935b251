"""Which events may change what waits for a person: `gateway/queries/attention.py` says what that is."""

from collections.abc import Sequence

import msgspec

from agent_contracts.session_events.decisions import ToolQuarantined
from agent_contracts.session_events.inputs import OutcomeSettled, ReminderDue, UserMessage
from agent_contracts.session_events.results import ModelCallCompleted
from agent_contracts.session_events.union import SessionEvent
from projections.project.batch_rows import BatchRows, PutRow
from projections.session_tables import TOOL_CALLS, SessionRow, ToolCallRow

_AT_WORK = frozenset({"idle", "running", "waiting_for_input"})


def may_change(
    event: SessionEvent, before: SessionRow, after: SessionRow, puts: Sequence[PutRow], rows: BatchRows
) -> bool:
    """Whether it may, by the session's row and those of its calls, or by what no row says."""
    match event:
        case ToolQuarantined() | OutcomeSettled() | UserMessage():
            return True
        case ReminderDue(late=late) if late:
            return True
    if _shown(before) != _shown(after):
        return True
    calls = [put.row for put in puts if isinstance(put.row, ToolCallRow)]
    if any(_waits(call) for call in calls):
        return True
    if isinstance(event, ModelCallCompleted):
        return False  # its calls are new
    earlier = (rows.get(TOOL_CALLS, (call.session_id, call.call_id)) for call in calls)
    return any(call is not None and _waits(call) for call in earlier)


def _shown(session: SessionRow) -> tuple[object, ...]:
    """What of a session says that it waits, or is told with what waits. To work and to rest isn't of it."""
    status = session.status
    failed = session.failed_turn if status == "idle" and not session.woken else None
    return status if status not in _AT_WORK else None, session.title, failed, session.token_limit


def _waits(call: ToolCallRow) -> bool:
    if call.status == "pending":
        return True
    return call.error is not None and msgspec.json.decode(call.error)["kind"] == "outcome_unknown"

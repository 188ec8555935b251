"""The fold: what each event does to a session. Total and pure."""

from typing import cast

import msgspec

from agent_contracts.errors import LogCorrupt
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.session_subjects import is_decision
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.inputs import Input
from agent_contracts.session_events.results import Result
from agent_contracts.session_events.union import SessionEvent
from session_domain.domain.changes import SessionChanges
from session_domain.domain.fold.evolve_decisions import by_decision
from session_domain.domain.fold.evolve_inputs import by_input
from session_domain.domain.fold.evolve_results import by_result
from session_domain.domain.rules.endings import usage_of
from session_domain.domain.rules.running_time import counted
from session_domain.domain.rules.statuses import status_after
from session_domain.domain.state import SessionState

FOLD_VERSION = 24
"""Grows whenever an event folds differently or the state's shape changes: older snapshots are ignored."""


_INPUTS = Input.__args__


_RESULTS = Result.__args__


def evolve(state: SessionState, recorded: RecordedEvent[SessionEvent]) -> SessionState:
    """The session after one more event. A second creation and what comes before the first are passed over.

    Raises `LogCorrupt` if the event's writer had seen an event that is missing here, or if it can't
    follow what came before.
    """
    sequence, event = recorded.sequence, recorded.event
    _check_order(state, sequence, recorded.part)
    if (state.position == 0) is not isinstance(event, inputs.Created):
        return passed_over(state, sequence, recorded.part)
    if isinstance(event, _RESULTS):
        if is_decision(recorded.subject):
            check_prev(state, recorded)
        changes = by_result(state, recorded, event)
    elif isinstance(event, _INPUTS):
        changes = by_input(state, sequence, event)
    elif isinstance(event, results.CallClaimed):
        changes = {}
    else:
        check_prev(state, recorded)
        changes = by_decision(state, recorded, cast(Decision, event))
    return _moved_on(state, recorded, changes)


def passed_over(state: SessionState, sequence: int, part: int = 0) -> SessionState:
    """The session after a message that isn't an event of it: only its place in the log moves on.

    So the next decision is made, and says that it was made, after that message.
    """
    _check_order(state, sequence, part)
    rests = state.rest_sequence == state.last_sequence
    return msgspec.structs.replace(
        state, last_sequence=sequence, rest_sequence=sequence if rests else state.rest_sequence
    )


def _check_order(state: SessionState, sequence: int, part: int) -> None:
    follows = sequence == state.last_sequence if part else sequence > state.last_sequence
    if not follows:
        raise LogCorrupt(f"event {sequence} does not come after {state.last_sequence}")


def _moved_on(
    state: SessionState, recorded: RecordedEvent[SessionEvent], changes: SessionChanges
) -> SessionState:
    sequence = recorded.sequence
    status = status_after(state.status, recorded.event)
    changes |= counted(state, status, recorded.envelope.time)
    usage = usage_of(recorded.event)
    if usage is not None:
        changes["totals"] = state.totals + usage
    model_call = changes.get("model_call", state.model_call)
    batch = changes.get("batch", state.batch)
    at_rest = model_call is None and all(call.status.is_final for call in batch)
    return msgspec.structs.replace(
        state,
        status=status,
        position=state.position + 1,
        last_sequence=sequence,
        rest_sequence=sequence if at_rest else state.rest_sequence,
        **changes,
    )


def check_prev(state: SessionState, recorded: RecordedEvent[SessionEvent]) -> None:
    """A decision was made on all that came before it: where something is missing, it shows here. Within a
    record each event follows the one before it."""
    if recorded.part == 0 and recorded.envelope.prev != state.last_sequence:
        raise LogCorrupt(
            f"event {recorded.sequence} was decided after {recorded.envelope.prev}, "
            f"but the event before it here is {state.last_sequence}"
        )

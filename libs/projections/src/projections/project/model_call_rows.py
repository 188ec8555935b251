"""What events do to rows of `model_calls`."""

import msgspec

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import results
from projections.json_text import json_text
from projections.project.batch_rows import PutRow
from projections.project.event_place import EventPlace
from projections.project.usage_json import usage_text
from projections.session_tables import MODEL_CALLS, ModelCallRow


def requested(at: EventPlace, number: int, event: ev.ModelCallRequested) -> list[PutRow]:
    """A model must be asked, for the `number`-th time in this session."""
    row = ModelCallRow(
        session_id=at.session_id,
        call_id=event.call_id,
        number=number,
        model=event.model,
        requested_place=at.place,
        requested_at=at.time,
        purpose=event.purpose,
    )
    return [PutRow(MODEL_CALLS, row)]


def completed(at: EventPlace, call: ModelCallRow, event: results.ModelCallCompleted) -> list[PutRow]:
    """It answered. To a call that was cut off before, what it had said and what it cost are added.

    What it said stands in the event at `result_place`, and only otherwise in the row.
    """
    cost = {
        "model": event.model,
        "usage": usage_text(event.usage),
        "latency_ms": event.latency_ms,
        "first_token_ms": event.first_token_ms,
        "attempts": event.attempts,
        "context": event.context,
        "finish_reason": event.finish_reason,
        "cut": event.cut,
    }
    if call.status != "requested":
        return _changed(call, **cost, text=event.text) if call.status == "cancelled" else []
    return _changed(
        call,
        status="completed",
        result_place=at.place,
        finished_at=at.time,
        **cost,
    )


def failed(at: EventPlace, call: ModelCallRow, event: results.ModelCallFailed) -> list[PutRow]:
    """It gave no answer."""
    if call.status != "requested":
        return []
    return _changed(
        call,
        status="failed",
        model=event.model,
        error=json_text({"kind": event.kind.value, "message": event.message}),
        latency_ms=event.latency_ms,
        attempts=event.attempts,
        context=event.context,
        result_place=at.place,
        finished_at=at.time,
    )


def cut_off(at: EventPlace, call: ModelCallRow) -> list[PutRow]:
    """The session went on without its answer, or went back."""
    if call.status != "requested":
        return []
    return _changed(call, status="cancelled", result_place=at.place, finished_at=at.time)


def _changed(call: ModelCallRow, **changes: object) -> list[PutRow]:
    return [PutRow(MODEL_CALLS, msgspec.structs.replace(call, **changes))]

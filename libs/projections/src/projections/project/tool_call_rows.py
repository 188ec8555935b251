"""What events do to rows of `tool_calls`. The first ending of a call counts; later ones change nothing."""

from typing import Any, Literal

import msgspec

from agent_contracts.api.calls import CallAccounting
from agent_contracts.errors import ToolError
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.address import at_place
from agent_contracts.outside import Sources, placed
from agent_contracts.policies import APPROVAL, ApprovalAnswer, answer_in
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import results
from agent_contracts.sessions.rendering import goes_on
from projections.json_text import json_text, json_text_or_none
from projections.project.batch_rows import PutRow
from projections.project.event_place import EventPlace
from projections.session_tables import OPEN_CALLS, TOOL_CALLS, ToolCallRow
from projections.table import JsonText
from session_domain.domain.rules.approval_answers import answer_to
from session_domain.domain.rules.endings import may_pend, takes_error, takes_result, why_cancelled


def planned(at: EventPlace, answer: results.ModelCallCompleted) -> list[PutRow]:
    """The calls that a model asked for: planned, or over at once where they could not be resolved, or were
    answered by whoever resolved them."""
    return [
        PutRow(
            TOOL_CALLS,
            ToolCallRow(
                session_id=at.session_id,
                call_id=asked.call_id,
                model_call_id=answer.call_id,
                position=position,
                message_place=at.place,
                tool=asked.tool,
                arguments=json_text(asked.arguments),
                as_sent=json_text_or_none(asked.as_sent or None),
                status=_status(asked),
                effect=asked.effect.value,
                runs_on=asked.runs_on.value,
                result=json_text_or_none(asked.result),
                error=_error(asked.error) if asked.error else None,
                result_place=at.place if _status(asked) != "planned" else None,
                finished_at=at.time if _status(asked) != "planned" else None,
            ),
        )
        for position, asked in enumerate(answer.tool_calls)
    ]


def _status(asked: results.ResolvedCall) -> Literal["failed", "completed", "planned"]:
    if asked.error is not None:
        return "failed"
    return "planned" if asked.result is None else "completed"


def requested(at: EventPlace, call: ToolCallRow, event: ev.ToolCallRequested) -> list[PutRow]:
    """The engine decided that it must run."""
    if event.resumed is not None:
        return begun(at, call)
    asked = msgspec.structs.replace(call, effect=event.effect.value, runs_on=event.runs_on.value)
    return begun(at, asked)


def begun(at: EventPlace, call: ToolCallRow) -> list[PutRow]:
    """It is under way: with a runner, or in the engine, which acts on it elsewhere before it answers."""
    return _changed(call, status="requested", requested_place=at.place, requested_at=at.time)


def cancelled(at: EventPlace, call: ToolCallRow, event: ev.ToolCallCancelled) -> list[PutRow]:
    """The engine ended it."""
    if call.status not in OPEN_CALLS:
        return []
    return _changed(
        call,
        status="cancelled",
        error=_error(why_cancelled(event)),
        result_place=at.place,
        finished_at=at.time,
    )


def claimed(call: ToolCallRow, event: results.CallClaimed) -> list[PutRow]:
    """A runner is about to act on the outside world."""
    if call.status != "requested":
        return []
    return _changed(call, status="running", runner=event.runner)


def pending(at: EventPlace, call: ToolCallRow, event: results.ToolCallPending) -> list[PutRow]:
    """A pausing call is ready to be answered; or one that was not requested yet waits for a yes."""
    if call.runs_on is None or not may_pend(call.runs_on, call.status, event):
        return _spent(call, event)
    return _changed(
        call,
        status="pending",
        show=json_text(event.show),
        runner=event.runner,
        accounting=_accounting(call, event),
        requested_at=call.requested_at or at.time,
    )


def answered(at: EventPlace, call: ToolCallRow, response: Json) -> list[PutRow]:
    """Someone answered a pending call; an answer to any other changes nothing."""
    if call.status != "pending":
        return []
    answer = json_text(response)
    show = _shown(call)
    if goes_on(show):
        return _changed(call, status="planned", answer=answer, runner=None)
    if show is not None and show.get("kind") == APPROVAL:
        return _decided(at, call, answer_in(response), answer)
    return _changed(
        call,
        status="completed",
        result=answer,
        answer=answer,
        result_place=at.place,
        finished_at=at.time,
    )


def resumed(call: ToolCallRow) -> list[PutRow]:
    """The time of a pending call has come that goes on by itself."""
    if call.status != "pending" or not goes_on(_shown(call)):
        return []
    return _changed(call, status="planned", runner=None)


def _shown(call: ToolCallRow) -> dict[str, Json] | None:
    return None if call.show is None else msgspec.json.decode(call.show, type=dict[str, Any])


def _decided(at: EventPlace, call: ToolCallRow, given: ApprovalAnswer, answer: JsonText) -> list[PutRow]:
    """What a person said to a call that needs a yes: it is planned again, or over, as the fold says."""
    error = answer_to(given, was_run=call.requested_place is not None)
    if error is not None:
        return _changed(
            call,
            status="failed",
            error=_error(error),
            answer=answer,
            result_place=at.place,
            finished_at=at.time,
        )
    arguments = call.arguments if given.arguments is None else json_text(given.arguments)
    return _changed(call, status="planned", arguments=arguments, answer=answer, runner=None)


def completed(at: EventPlace, call: ToolCallRow, event: results.ToolCallCompleted) -> list[PutRow]:
    """It has its result."""
    if not _takes_result(call):
        return _spent(call, event)
    return _changed(
        call,
        status="completed",
        result=json_text(event.result),
        excerpt=json_text_or_none(event.excerpt),
        outside=_outside(call, event.outside),
        runner=event.runner,
        accounting=_accounting(call, event),
        result_place=at.place,
        finished_at=at.time,
    )


def _outside(call: ToolCallRow, outside: Sources) -> JsonText | None:
    """Where material in a result came from; what the call brought itself came by its request."""
    if not outside:
        return None
    at = str(at_place(call.requested_place or 0).sequence)
    return json_text(msgspec.to_builtins(placed(outside, at, SessionId(call.session_id))))


def failed(at: EventPlace, call: ToolCallRow, event: results.ToolCallFailed) -> list[PutRow]:
    """It ended in an error."""
    held = goes_on(_shown(call))
    if call.runs_on is None or not takes_error(call.runs_on, call.status, goes_on=held):
        return _spent(call, event)
    return _changed(
        call,
        status="failed",
        error=_error(event.error),
        outside=_outside(call, event.outside),
        runner=event.runner,
        accounting=_accounting(call, event),
        result_place=at.place,
        finished_at=at.time,
    )


def _spent(call: ToolCallRow, event: results.Accounting) -> list[PutRow]:
    """A result that doesn't count was paid for all the same."""
    return _changed(call, accounting=_accounting(call, event)) if event.usage else []


def _accounting(call: ToolCallRow, event: results.Accounting) -> JsonText:
    """What the run took and did, with what those before it asked models for."""
    before = msgspec.json.decode(call.accounting, type=results.Accounting).usage if call.accounting else None
    if before is not None:
        usage = before if event.usage is None else before + event.usage
        event = msgspec.structs.replace(event, usage=usage)
    return JsonText(msgspec.json.encode(CallAccounting.of(event)).decode())


def _takes_result(call: ToolCallRow) -> bool:
    return call.runs_on is not None and takes_result(call.runs_on, call.status)


def _changed(call: ToolCallRow, **changes: object) -> list[PutRow]:
    return [PutRow(TOOL_CALLS, msgspec.structs.replace(call, **changes))]


def _error(error: ToolError) -> JsonText:
    """All four fields, those at their default too."""
    return json_text(
        {
            "kind": error.kind.value,
            "message": error.message,
            "path": error.path,
            "retryable": error.retryable,
        }
    )

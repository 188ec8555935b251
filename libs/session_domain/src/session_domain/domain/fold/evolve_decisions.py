"""The fold of the engine's own decisions. Total and pure."""

from collections.abc import Mapping
from typing import Literal, assert_never

import msgspec
from pyrsistent import PVector

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.union import SessionEvent
from session_domain.domain.changes import SessionChanges
from session_domain.domain.messages import CallStatus, SessionMessage, Shadow
from session_domain.domain.rules import approvals, failed_turns, quarantine
from session_domain.domain.rules.compaction import hidden_next
from session_domain.domain.rules.endings import why_cancelled
from session_domain.domain.rules.evolve_calls import asked_call, closed_batch, outside_with, with_call
from session_domain.domain.rules.tasks import ended_by_code
from session_domain.domain.state import (
    KEPT_MESSAGES,
    ChildState,
    FatalFailure,
    OpenModelCall,
    RequestSources,
    SessionState,
)

_COMPACTING: Mapping[str, Literal["warned", "summarised"]] = {"warning": "warned", "summary": "summarised"}


def by_decision(
    state: SessionState, recorded: RecordedEvent[SessionEvent], event: Decision
) -> SessionChanges:
    """What a decision does. Raises `LogCorrupt` where it names a call that no model asked for."""
    match event:
        case ev.ToolCallRequested(call_id=call_id):
            call = asked_call(state, recorded.sequence, call_id)
            requested = msgspec.structs.replace(
                call, status=CallStatus.REQUESTED, requested=recorded.sequence
            )
            told = _told(state, recorded.sequence, event)
            return {**with_call(state, requested), **approvals.used(state, call), **told}
        case ev.ModelCallRequested():
            return _model_asked(state, recorded.sequence, event)
        case ev.TurnStarted():
            return {
                "turn_began": recorded.envelope.time,
                "answered": False,
                "queue": tuple(msgspec.structs.replace(one, waits=False) for one in state.queue),
                "owes_report": False,
                "failed_turn": None,
                "retrying": False,
                "refusals": 0,
            }
        case ev.BecameIdle(reason=reason):
            return {
                "interrupting": False,
                "failed_turn": None,
                "turn_began": None,
                "owes_report": state.parent_id is not None,
                "report_asked": state.report_asked or reason == "interrupted",
                **_cut(state),
                **closed_batch(state),
            }
        case ev.TurnFailed():
            return {
                **failed_turns.told(state, event, recorded.sequence),
                "turn_began": None,
                **closed_batch(state),
            }
        case ev.ToolQuarantined():
            return quarantine.entered(state, event)
        case ev.ReportAsked(message=message):
            asked = SessionMessage(recorded.sequence, "user", message)
            return {"queue": (*state.queue, asked), "report_asked": True}
        case ev.ToolCallCancelled(call_id=call_id):
            call = asked_call(state, recorded.sequence, call_id)
            error = why_cancelled(event)
            cancelled = msgspec.structs.replace(
                call, status=CallStatus.CANCELLED, error=error, resume=None, resumed=None
            )
            expired = tuple(one for one in state.expired if one != call_id)
            return {**with_call(state, cancelled), "expired": expired}
        case ev.ChildSpawned(child_id=child_id) if state.child(child_id) is not None:
            begins = (
                msgspec.structs.replace(one, planned=None) if one.child_id == child_id else one
                for one in state.children
            )
            return {"children": tuple(begins)}
        case ev.ChildSpawned(call_id=call_id, child_id=child_id, waits=waits):
            child = ChildState(child_id, call_id, planned=event if waits is not None else None)
            call = asked_call(state, recorded.sequence, call_id)
            begun = msgspec.structs.replace(call, status=CallStatus.REQUESTED, requested=recorded.sequence)
            return {**with_call(state, begun), "children": (*state.children, child)}
        case ev.ForkMade() | ev.Waiting() | ev.TokenLimitHit():
            return {}
        case ev.Completed():
            return {"archiving": False, **_ended(state)}
        case ev.Failed(kind=kind, message=message):
            return {"failure": FatalFailure(kind, message), **_ended(state)}
        case ev.InputRefused(input=refused):
            return {"refused": tuple(sequence for sequence in state.refused if sequence != refused)}
        case ev.Titled(title=title):
            return {"title": title}
        case ev.Rewound(conversation=False):
            return {"rewinds": state.rewinds[1:]}
        case ev.ForkedFrom() | ev.Rewound():
            raise ValueError(f"{type(event).__name__} points at the past: fold it with `rewind.adopt`")
        case ev.MessagesShadowed():
            return _shadowed(state, event)
        case _ as never:
            assert_never(never)


def _told(state: SessionState, sequence: int, event: ev.ToolCallRequested) -> SessionChanges:
    """The sources that a request names are what those of later answers refer to; not those of the same one,
    since nobody knows where it stands as long as its record is being made."""
    if not event.outside and event.outside_as is None:
        return {}
    before = 0 if event.outside_as is None or state.told is None else state.told.before + 1
    return {"telling": RequestSources(state.outside, sequence, before)}


def _ended(state: SessionState) -> SessionChanges:
    """What is true of every session that has ended: its conversation stays as it is."""
    others = tuple(one for one in state.rewinds if not one.conversation)
    return {"failed_turn": None, "rewinds": others, **_cut(state), **closed_batch(state)}


def _cut(state: SessionState) -> SessionChanges:
    """A model call that has no ending yet is stopped: what it had streamed by now comes later."""
    return {"model_call": None, "cut_call": state.model_call or state.cut_call}


def _model_asked(state: SessionState, sequence: int, event: ev.ModelCallRequested) -> SessionChanges:
    number = state.model_calls + 1
    closed = closed_batch(state)
    history = closed.get("history", state.history)
    joining = [message for message in state.queue if message.sequence in event.joins]
    history = history.extend(joining) if joining else history
    return {
        **closed,
        **({"outside": outside_with(state.outside, joining)} if joining else {}),
        "told": state.telling or state.told,
        "telling": None,
        "history": _with_time(history, state),
        "told_time": state.turn_began,
        "queue": tuple(message for message in state.queue if message.sequence not in event.joins),
        "model_call": OpenModelCall(event.call_id, sequence, number, event.purpose),
        "compacting": _COMPACTING.get(event.purpose),
        "model_calls": number,
        "answered": False,
    }


def _with_time(history: PVector[SessionMessage], state: SessionState) -> PVector[SessionMessage]:
    """The turn's start beside its newest message, once: so the model is told the time, and what it was told
    before stays the same."""
    if state.turn_began in (None, state.told_time) or not history:
        return history
    newest = msgspec.structs.replace(history[-1], turn_began=state.turn_began)
    return history.set(len(history) - 1, newest)


def _shadowed(state: SessionState, event: ev.MessagesShadowed) -> SessionChanges:
    shadow = Shadow(event.first, event.last, event.summary, state.outside)
    shadows = (*state.shadows, shadow)
    if event.reason == "compaction":
        hidden = hidden_next(state)
        in_part = state.summarised is not None and bool(hidden) and event.last < hidden[-1].sequence
        return {
            "shadows": shadows,
            "summary": None,
            "summarised": None,
            "compacting": "too_long" if in_part else None,
            "kept_messages": state.kept_messages if in_part else KEPT_MESSAGES,
            "context_tokens": 0,
            "answered": False,
        }
    if (ended := ended_by_code(state)) is not None:
        return {"shadows": shadows, "tasks": tuple(task for task in state.tasks if task is not ended)}
    ending = next(call for call in state.open_calls() if call.tool == "end_task")
    asked = msgspec.structs.replace(ending, status=CallStatus.REQUESTED)
    return {**with_call(state, asked), "shadows": shadows}

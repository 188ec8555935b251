"""The fold of inputs: what came from outside. Total and pure."""

from typing import assert_never

import msgspec

from agent_contracts.outside import Sources, joined, placed, source
from agent_contracts.session_events import inputs
from agent_contracts.session_events.inputs import Input
from agent_contracts.sessions.open_questions import answer_to_question, question_answered_by_message
from session_domain.domain.changes import SessionChanges
from session_domain.domain.messages import CallStatus, SessionMessage
from session_domain.domain.rules import approvals, failed_turns
from session_domain.domain.rules.evolve_calls import finished, goes_on
from session_domain.domain.state import FatalFailure, SessionLimits, SessionState, Status, WantedRewind

MOST_QUIET = 20
"""So many messages that begin no turn wait for the next one."""
_FOR_ANY_STATUS = (
    inputs.Created,
    inputs.Renamed,
    inputs.Pinned,
    inputs.Feedback,
    inputs.Interrupted,
    inputs.Archived,
    inputs.ChildFinished,
    inputs.TimerDue,
)


def by_input(state: SessionState, sequence: int, event: Input) -> SessionChanges:
    """What an input does. A session that has ended refuses most; `decide` says so in the log."""
    if state.status.is_terminal and not _is_taken(state.status, event):
        return {"refused": (*state.refused, sequence)}
    match event:
        case inputs.UserMessage(text=text, files=files, client=client, prompt=prompt):
            given = _of_client(state, sequence, client) + _of_prompt(state, sequence, prompt)
            asked = question_answered_by_message(state.status, state.open_calls())
            if asked is not None:
                if prompt is not None:  # a result that is the person's own has no sources
                    asked = msgspec.structs.replace(asked, outside=joined(asked.outside, given))
                return {
                    **finished(state, asked, answer_to_question(text, files=files)),
                    **_known(state, given),
                }
            message = SessionMessage(
                sequence, "user", text, files=files, client=client, prompt=prompt, outside=given
            )
            if message.pictures:
                shown = (source("file", one.name) for one in message.pictures)
                outside = joined(given, placed(tuple(shown), str(sequence), state.session_id))
                message = msgspec.structs.replace(message, outside=outside)
            return {**_queued(state, message), "report_asked": False}
        case inputs.ReminderDue(outside=outside, quiet=quiet):
            due = SessionMessage(sequence, "user", event.text, outside=outside, quiet=quiet)
            return _left(state, due) if quiet else _queued(state, due)
        case inputs.OutcomeSettled(message=text):
            return _queued(state, SessionMessage(sequence, "user", text))
        case inputs.Woken(source=service, message=text, data=data, priority=priority):
            waits = priority == "next" and _works(state)
            outside = placed((source("wake", service),), str(sequence), state.session_id)
            woken = SessionMessage(
                sequence, "user", text, woken_by=service, data=data, waits=waits, outside=outside
            )
            return _queued(state, woken)
        case inputs.ToolResponse(call_id=call_id, response=response, client=client):
            call = state.call(call_id)
            if call is None or call.status is not CallStatus.PENDING:
                return {}
            if approvals.is_asked(call):
                return approvals.answered(state, call, response)
            changes = goes_on(state, call, response) if call.resume else finished(state, call, response)
            return {**changes, **_known(state, _of_client(state, sequence, client))}
        case inputs.Continued(token_limit=token_limit):
            return {
                "token_limit": token_limit,
                "cut_off": False,
                "answered": state.answered and not state.cut_off,
            }
        case inputs.ThinkingChanged(thinking=thinking):
            return {"thinking": thinking}
        case inputs.Interrupted():
            return {**failed_turns.waits_no_more(state), "interrupting": state.interrupting or _works(state)}
        case inputs.Archived():
            return {"archiving": not state.status.is_terminal}
        case inputs.Reopened():
            return _reopened(state)
        case inputs.Renamed(title=title):
            return {"title": title}
        case inputs.Pinned() | inputs.Feedback():
            return {}
        case inputs.Created():
            return _created(event)
        case inputs.ChildFinished():
            return _child_finished(state, event)
        case inputs.RewindRequested(to=to, parts=parts, including=including):
            wanted = WantedRewind(to, sequence, parts, including)
            return {"rewinds": (*state.rewinds, wanted)} if to < sequence else {}
        case inputs.RetryAsked():
            return failed_turns.retry_asked(state)
        case inputs.TimerDue():
            return _time_is_over(state, event)
        case _ as never:
            assert_never(never)


def _of_client(state: SessionState, sequence: int, client: str | None) -> Sources:
    """What a program says may come from anywhere; policies see that it isn't the person's own."""
    return () if client is None else placed((source("peer", client),), str(sequence), state.session_id)


def _of_prompt(state: SessionState, sequence: int, prompt: inputs.FromPrompt | None) -> Sources:
    """The person wants what it says, but a server says it."""
    if prompt is None:
        return ()
    return placed((source("mcp", prompt.server),), str(sequence), state.session_id)


def _known(state: SessionState, given: Sources) -> SessionChanges:
    """The session's context has this from now on."""
    return {"outside": joined(state.outside, given)} if given else {}


def _is_taken(ended: Status, event: Input) -> bool:
    """Whether a session that has ended takes it. What it made of its agent's can go back then too."""
    if isinstance(event, inputs.RewindRequested):
        return "conversation" not in event.parts
    if isinstance(event, inputs.Reopened):
        return ended is Status.COMPLETED
    return isinstance(event, _FOR_ANY_STATUS)


def _works(state: SessionState) -> bool:
    return state.status in (Status.RUNNING, Status.WAITING_FOR_INPUT)


def _reopened(state: SessionState) -> SessionChanges:
    """Open again before it was closed, it still stops what it was doing."""
    if state.status is Status.COMPLETED:
        return {"interrupting": False}
    if not state.archiving:
        return {}
    return {"archiving": False, "interrupting": state.interrupting or _works(state)}


def _created(event: inputs.Created) -> SessionChanges:
    return {
        "agent_id": event.agent_id,
        "title": event.title,
        "model": event.model,
        "thinking": event.thinking,
        "token_limit": event.token_limit,
        "parent_id": event.parent_id,
        "parent_call_id": event.parent_call_id,
        "depth": event.depth,
        "begun_by": event.begun_by,
        "outside": event.outside,
        "mode": event.mode,
        "limits": SessionLimits(
            child_depth=event.child_depth,
            child_count=event.child_count,
            child_timeout_s=event.child_timeout_s,
            run_timeout_s=event.run_timeout_s,
            retry_delays_s=event.retry_delays_s,
        ),
    }


def _child_finished(state: SessionState, event: inputs.ChildFinished) -> SessionChanges:
    child = state.child(event.child_id)
    if child is None or event.at <= child.ended_sequence:
        return {}
    ended = msgspec.structs.replace(
        child,
        status=event.status,
        result=event.result,
        error=event.error,
        tokens=event.tokens,
        ended_sequence=event.at,
        reported=event.reported,
        outside=event.outside,
    )
    return {"children": tuple(ended if one is child else one for one in state.children)}


def _time_is_over(state: SessionState, event: inputs.TimerDue) -> SessionChanges:
    if state.status.is_terminal:
        return {}
    match event.purpose:
        case "call_expiry":
            call = state.call(event.call_id) if event.call_id else None
            if call is None or call.status is not CallStatus.PENDING:
                return {}
            if call.resume is not None and not approvals.is_asked(call):
                return goes_on(state, call)
            return {"expired": (*state.expired, call.call_id)}
        case "call_resumes":
            call = state.call(event.call_id) if event.call_id else None
            if call is None or call.status is not CallStatus.PENDING or call.resume is None:
                return {}
            return goes_on(state, call) if call.resume.at is not None else {}
        case "run_timeout":
            limit = state.limits.run_timeout_s
            failed = FatalFailure("timeout", f"Timed out after {limit:g}s" if limit else "Timed out")
            return {"failure": failed} if state.status is Status.RUNNING else {}
        case "retry":
            return failed_turns.time_to_retry(state, event)
        case "child_start":
            begins = (
                msgspec.structs.replace(one, may_begin=True) if one.call_id == event.call_id else one
                for one in state.children
            )
            return {"children": tuple(begins)}
        case "child_timeout":
            return {}
        case _ as never:
            assert_never(never)


def _queued(state: SessionState, message: SessionMessage) -> SessionChanges:
    return {"queue": (*state.queue, message), "failures": 0}


def _left(state: SessionState, message: SessionMessage) -> SessionChanges:
    """What the model is told with the next turn; of too many such messages, the oldest is left to people."""
    quiet = [one for one in state.queue if one.quiet]
    over = quiet[0] if len(quiet) >= MOST_QUIET else None
    return {"queue": (*(one for one in state.queue if one is not over), message)}

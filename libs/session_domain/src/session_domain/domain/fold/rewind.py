"""Rewind: what becomes of a session whose history begins elsewhere, or that went back."""

import msgspec

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.outside import joined
from agent_contracts.session_events.decisions import ForkedFrom, Rewound
from agent_contracts.session_events.union import SessionEvent
from session_domain.domain.fold.evolve import check_prev
from session_domain.domain.rules.evolve_calls import outside_with
from session_domain.domain.rules.running_time import counted
from session_domain.domain.rules.statuses import status_forked_from, status_gone_back_to
from session_domain.domain.state import KEPT_MESSAGES, ForkPoint, SessionState, Status


def adopt(state: SessionState, recorded: RecordedEvent[SessionEvent], past: SessionState) -> SessionState:
    """The session after a fork or a rewind; `past` is the fold that the event points at.

    What was spent, and who lives, stays: tokens, running time, sub-sessions, the number of events.
    """
    match recorded.event:
        case ForkedFrom():
            adopted = _forked(state, past, recorded.envelope.time)
        case Rewound():
            check_prev(state, recorded)
            adopted = _back(state, past)
        case other:
            raise ValueError(f"{type(other).__name__} points at no past")
    return msgspec.structs.replace(
        adopted,
        position=state.position + 1,
        last_sequence=recorded.sequence,
        rest_sequence=recorded.sequence,
        **counted(state, adopted.status, recorded.envelope.time),
    )


def _forked(state: SessionState, past: SessionState, now: str) -> SessionState:
    """A new session with the other's history; its own limits, tokens and (if one was given) model.

    In the middle of a turn it goes on with that turn: its next model call really happens.
    """
    running = past.status is Status.RUNNING
    return msgspec.structs.replace(
        state,
        status=status_forked_from(past.status),
        turn_began=now if running else None,
        told_time=past.told_time,
        answered=past.answered,
        forked_from=ForkPoint(past.session_id, past.last_sequence),
        title=state.title or past.title,
        model=state.model or past.model,
        thinking=state.thinking or past.thinking,
        history=_closed(past).history,
        queue=past.queue,
        shadows=past.shadows,
        tasks=past.tasks,
        quarantined=past.quarantined,
        outside=joined(state.outside, past.outside),
    )


def _back(state: SessionState, past: SessionState) -> SessionState:
    """The conversation as it was. Messages that waited to be read then are seen with the next one. A
    sub-session that was planned since and hasn't begun never does.

    Hiding older messages begins anew, if it was under way: then or now.
    """
    return msgspec.structs.replace(
        state,
        status=status_gone_back_to(past.status),
        history=_closed(past).history.extend(past.queue),
        batch=(),
        queue=(),
        answered=True,
        cut_off=False,
        model_call=None,
        cut_call=None,
        turn_began=None,
        told_time=past.told_time,
        thinking=past.thinking,
        shadows=past.shadows,
        children=tuple(one for one in state.children if one.planned is None or past.child(one.child_id)),
        tasks=past.tasks,
        outside=outside_with(past.outside, past.queue),
        context_tokens=past.context_tokens,
        compacting=None,
        summary=None,
        summarised=None,
        refusals=0,
        kept_messages=KEPT_MESSAGES,
        expired=(),
        interrupting=False,
        owes_report=False,
        failed_turn=None,
        failures=0,
        retrying=False,
        refused_tools=(),
        grants=tuple(grant for grant in state.grants if grant in past.grants),
        rewinds=state.rewinds[1:],
    )


def _closed(past: SessionState) -> SessionState:
    """With the calls of the last answer in its message: at a point of rest all of them have ended."""
    if not past.batch:
        return past
    answer = msgspec.structs.replace(past.history[-1], tool_calls=past.batch)
    return msgspec.structs.replace(past, history=past.history.set(len(past.history) - 1, answer), batch=())

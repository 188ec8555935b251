"""Calls that wait for a person's yes: what is asked, what an answer does, and what runs then. Pure.

A call that the policy asks for is pending before it is requested. A run that was stopped by what its code
wanted to send is over, and pending then: a yes is for the next run, never for a second one of this call. One
that is held where it asks goes on there, with the yes or the no.
"""

import msgspec

from agent_contracts.errors import ToolError
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.outside import news
from agent_contracts.policies import APPROVAL, Decision, Grant, Match, answer_in, approved_hash, shown_of
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.tool_spec import Effect
from session_domain.domain.changes import SessionChanges
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.rules.approval_answers import answer_to
from session_domain.domain.rules.evolve_calls import goes_on, with_call
from session_domain.domain.state import SessionState

MOST_TOLD = 16
"""So many requests may refer to one another for where material came from; then one names all again."""
MOST_GRANTS = 100
"""Of one session; the newest stay."""


def asked(state: SessionState, call: SessionToolCall) -> ToolCallPending:
    """The call waits for a person. What it is called with stands in the answer that asked for it.

    `before`: with which arguments the last call of this tool ran that a person allowed.
    """
    judged = call.judged
    assert judged is not None
    show = shown_of(call.tool, judged)
    before = _allowed_before(state, call)
    if before is not None:
        show["before"] = before.arguments
    return ToolCallPending(call.call_id, show, ENGINE_AS_RUNNER)


def is_asked(call: SessionToolCall) -> bool:
    """Whether the pending call waits for a yes."""
    return call.show is not None and call.show.get("kind") == APPROVAL


def is_unattended(state: SessionState, event: ToolCallPending) -> bool:
    """Whether nobody may be there to answer, so that it can't wait for ever."""
    if event.resume is not None and event.resume.at is not None:
        return False  # it goes on by itself
    in_child = state.parent_id is not None and event.show.get("kind") == APPROVAL
    return state.begun_by is not None or in_child


def answered(state: SessionState, call: SessionToolCall, response: Json) -> SessionChanges:
    """What a person decided. What isn't plainly a yes is a no."""
    answer = answer_in(response)
    covers = answer.covers or _covered(call)
    lasting = _lasting(call, answer.decision, covers)
    if call.resume is not None:
        return {**goes_on(state, call, response), **_granted(state, lasting)}
    error = answer_to(answer, was_run=call.requested is not None)
    if answer.decision == "refuse" and error is not None:
        return _over(state, call, error)
    if error is not None:
        grant = lasting or (_for_once(call, covers) if covers is not None else None)
        return {**_over(state, call, error), **_granted(state, grant)}
    judged = call.judged
    if judged is not None and covers is not None:
        judged = msgspec.structs.replace(judged, covers=covers)
    allowed = msgspec.structs.replace(
        call,
        status=CallStatus.PLANNED,
        arguments=call.arguments if answer.arguments is None else answer.arguments,
        judged=judged,
        approved=True,
        edited=answer.arguments is not None,
        show=None,
        expires_at=None,
    )
    return {**with_call(state, allowed), **_granted(state, lasting)}


def requested(state: SessionState, call: SessionToolCall) -> ev.ToolCallRequested:
    """The call runs, with what people allowed it to send. One that was approved runs as it was shown, one
    that was resumed as it was when it was first asked for."""
    resumed = call.resumed
    grants = tuple(
        grant for grant in state.grants if not grant.once or (resumed is None and _is_for(grant, call))
    )
    outside, outside_as = state.outside if call.effect is not Effect.PURE else (), None
    swayed = bool(outside)
    if outside and state.told is not None and state.told.before < MOST_TOLD:
        more = news(state.told.outside, outside)
        if more is not None:
            outside, outside_as = more, state.told.at
    request = ev.ToolCallRequested(
        call.call_id,
        call.tool,
        call.arguments,
        call.runs_on,
        Effect.PURE if resumed is not None and resumed.looks else call.effect,
        grants,
        code_at=None if resumed is None else resumed.since,
        outside=outside,
        unswayed=swayed and not call.swayed,
        urls=call.urls,
        resumed=resumed,
        outside_as=outside_as,
        open_tasks=sum(task.summary is None for task in state.tasks),
    )
    if not call.approved:
        return request
    if call.judged is not None and call.judged.covers is not None:
        grants = (*grants, Grant(call.judged.covers, once=True))
    approved = approved_hash(call.tool, call.arguments, call.asked_at)
    return msgspec.structs.replace(request, grants=grants, approved=approved, code_at=call.asked_at)


def used(state: SessionState, call: SessionToolCall) -> SessionChanges:
    """A yes for once is for the same call again, and this is it, unless it only goes on."""
    if call.resumed is not None:
        return {}
    left = tuple(grant for grant in state.grants if not (grant.once and _is_for(grant, call)))
    return {} if len(left) == len(state.grants) else {"grants": left}


def why_expired(call: SessionToolCall) -> str:
    """In whose words an expired call ended; empty for what expired otherwise."""
    return "nobody allowed this call in time: it counts as refused, and did not run" if is_asked(call) else ""


def _is_for(grant: Grant, call: SessionToolCall) -> bool:
    return grant.call == _hash_of(call)


def _for_once(call: SessionToolCall, covers: Match) -> Grant:
    """What a yes allows the next run of exactly this call, and of what its code asked another tool for."""
    asks = None if call.show is None else call.show.get("asks")
    exact = asks.get("exact") if isinstance(asks, dict) else None
    return Grant(covers, once=True, call=_hash_of(call), exact=exact if isinstance(exact, str) else "")


def _hash_of(call: SessionToolCall) -> str:
    return approved_hash(call.tool, call.arguments, None)


def _covered(call: SessionToolCall) -> Match | None:
    """What the call's question said that a yes covers."""
    return _shown(call, "covers")


def _shown(call: SessionToolCall, part: str) -> Match | None:
    if call.show is None or part not in call.show:
        return None
    try:
        return msgspec.convert(call.show[part], Match)
    except msgspec.ValidationError:
        return None


def _lasting(call: SessionToolCall, decision: Decision, covers: Match | None) -> Grant | None:
    """What is allowed for longer than once."""
    if decision == "commands":
        covers = _shown(call, "commands")
    allowed = decision in ("session", "commands", "always")
    return Grant(covers) if covers is not None and allowed else None


def _granted(state: SessionState, grant: Grant | None) -> SessionChanges:
    if grant is None or grant in state.grants:
        return {}
    return {"grants": (*state.grants, grant)[-MOST_GRANTS:]}


def _over(state: SessionState, call: SessionToolCall, error: ToolError) -> SessionChanges:
    return with_call(state, msgspec.structs.replace(call, status=CallStatus.FAILED, error=error))


def _allowed_before(state: SessionState, call: SessionToolCall) -> SessionToolCall | None:
    calls = (one for message in reversed(state.history) for one in reversed(message.tool_calls))
    return next((one for one in calls if one.tool == call.tool and one.approved), None)

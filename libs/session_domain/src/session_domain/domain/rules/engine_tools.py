"""The tools that run in the fold: sub-sessions (`spawn_session` …) and tasks (`begin_task` …).

No runner is asked: what they answer follows from the session alone.
"""

from collections.abc import Callable
from typing import Annotated

import msgspec

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import child_session_id
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.model_chain import chain_flaw
from agent_contracts.outside import joined
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import (
    ToolCallFailed,
    ToolCallPending,
)
from agent_contracts.whose_browser import WhoseBrowser
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.rules import tasks, workers
from session_domain.domain.rules.engine_calls import (
    CallRefused,
    Decided,
    Text,
    arguments_of,
    completed,
    failed,
)
from session_domain.domain.rules.needs import least_for_child
from session_domain.domain.state import ChildState, SessionState

_Tokens = Annotated[int, msgspec.Meta(ge=1)]


class Spawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `spawn_session` and `fork_session`."""

    task: Text
    model: str | None = None
    token_limit: _Tokens | None = None
    copy_notepad: bool = False
    browser: WhoseBrowser = "own"


class DelegateArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `delegate_to` in the background."""

    target: Text
    query: Text
    background: bool = False


class WaitFor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `wait_for_sessions`."""

    ids: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `report_result`."""

    result: str


def answer(state: SessionState, call: SessionToolCall) -> Decided | None:
    """The next event of a call that runs in the fold; None while it waits for its sub-sessions."""
    run = _TOOLS.get(call.tool)
    if run is None:
        return failed(call, ErrorKind.UNKNOWN_TOOL, f"the engine has no tool {call.tool!r}")
    try:
        return run(state, call)
    except CallRefused as refused:
        return ToolCallFailed(call.call_id, refused.error, ENGINE_AS_RUNNER)


def _spawn(state: SessionState, call: SessionToolCall) -> Decided:
    if call.status is CallStatus.REQUESTED:  # the child is spawned: its id is the answer
        child = next(child for child in state.children if child.call_id == call.call_id)
        return completed(call, {"id": child.child_id})
    asked = arguments_of(call, Spawn)
    flaw = chain_flaw(asked.model) if asked.model else None
    if flaw is not None:
        raise CallRefused(ErrorKind.INVALID_ARGUMENTS, f"the model can't be this: {flaw}", "/model")
    _check_depth(state)
    forked = call.tool == "fork_session"
    remaining = _room_for_child(state, asked.task, forked=forked)
    least = least_for_child(state, forked=forked, task=asked.task)
    if asked.token_limit is not None and not least <= asked.token_limit <= remaining:
        raise CallRefused(
            ErrorKind.REJECTED,
            f"give it {least:,} to {remaining:,} tokens: it needs at least {least:,} to be asked once, and "
            f"this session has {remaining:,} left, which it gets if you leave token_limit out",
            "/token_limit",
        )
    return ev.ChildSpawned(
        call_id=call.call_id,
        child_id=child_session_id(state.session_id, call.call_id),
        task=asked.task,
        token_limit=asked.token_limit or remaining,
        model=asked.model or state.model,
        copy_notepad=asked.copy_notepad,
        fork_at=state.rest_sequence if forked else None,
        browser=asked.browser,
    )


def _delegate(state: SessionState, call: SessionToolCall) -> Decided:
    """A sub-session that asks the delegate: so it goes on beside this one, is judged by the policy, and is
    stopped and taken back as any."""
    asked = arguments_of(call, DelegateArguments)
    child_id = child_session_id(state.session_id, call.call_id)
    if call.status is CallStatus.REQUESTED:
        said = f"{asked.target} is asked in the background, by the sub-session {child_id}: wait_for_sessions"
        return completed(call, f"{said} has its answer.")
    _check_depth(state)
    asks = msgspec.json.encode({"target": asked.target, "query": asked.query}).decode()
    task = (
        f"Call the tool delegate_to once, with exactly these arguments: {asks}\nThen report what it answers, "
        "word for word, with report_result; or, if it fails, how."
    )
    return ev.ChildSpawned(
        call_id=call.call_id,
        child_id=child_id,
        task=task,
        token_limit=_room_for_child(state, task),
        model=state.model,
    )


def _check_depth(state: SessionState) -> None:
    if state.depth >= state.limits.child_depth:
        raise CallRefused(
            ErrorKind.REJECTED, f"sub-sessions may nest {state.limits.child_depth} deep; this one is the last"
        )


def _spawn_worker(state: SessionState, call: SessionToolCall) -> Decided:
    asked = arguments_of(call, workers.SpawnWorker)
    child_id = child_session_id(state.session_id, call.call_id)
    if call.status is CallStatus.REQUESTED:
        child = next(child for child in state.children if child.call_id == call.call_id)
        return completed(call, workers.answer(state, asked, child))
    if state.depth >= workers.DEPTH:
        raise CallRefused(ErrorKind.REJECTED, f"workers may nest {workers.DEPTH} deep; this one is the last")
    task = workers.task_of(asked)
    remaining = _room_for_child(state, task)
    not_before = None
    if asked.not_before is not None:
        try:
            not_before = workers.earliest(asked.not_before)
        except ValueError as error:
            message = f"{asked.not_before[:80]!r} is no time with its offset, such as 2026-03-29T08:30:00Z"
            raise CallRefused(ErrorKind.INVALID_ARGUMENTS, message, "/not_before") from error
    planned = ev.ChildSpawned(
        call_id=call.call_id,
        child_id=child_id,
        task=task,
        token_limit=remaining,
        model=state.model,
        mode=asked.system_prompt_mode,
        run_timeout_s=float(asked.timeout),
        waits=ev.Waits(workers.waits_for(state, asked, child_id), not_before),
    )
    return workers.begun_or_held(state, planned)


def _room_for_child(state: SessionState, task: str, *, forked: bool = False) -> int:
    """The tokens that are left for another sub-session. Refused where there can be none."""
    if sum(child.is_live for child in state.children) >= state.limits.child_count:
        raise CallRefused(
            ErrorKind.REJECTED,
            f"{state.limits.child_count} sub-sessions are at work already: wait for some to finish",
        )
    remaining = state.token_limit - state.totals.tokens
    least = least_for_child(state, forked=forked, task=task)
    if remaining < least:
        raise CallRefused(
            ErrorKind.REJECTED,
            f"this session has {max(remaining, 0):,} tokens left, and a sub-session needs at least {least:,} "
            "to be asked once: do the work here, or ask the user to raise the token limit",
        )
    return remaining


def _wait(state: SessionState, call: SessionToolCall) -> Decided | None:
    ids = arguments_of(call, WaitFor).ids
    children: list[ChildState] = []
    for index, child_id in enumerate(ids):
        child = state.child(child_id)
        if child is None:
            raise CallRefused(
                ErrorKind.INVALID_ARGUMENTS,
                f"{child_id!r} is not a sub-session of this session",
                f"/ids/{index}",
            )
        children.append(child)
    if not any(child.is_live for child in children):
        outside = joined((), [one for child in children for one in child.outside])
        return completed(call, {"results": [_outcome(child) for child in children]}, outside)
    if call.status is CallStatus.PENDING:
        return None
    show: dict[str, Json] = {"kind": "wait_for_sessions", "ids": list(ids)}
    return ToolCallPending(call.call_id, show, ENGINE_AS_RUNNER)


def _report(state: SessionState, call: SessionToolCall) -> Decided:
    arguments_of(call, Report)
    if state.parent_id is None:
        raise CallRefused(ErrorKind.NOT_AVAILABLE, "only a sub-session has somebody to report to")
    return completed(call, {})


_TOOLS: dict[str, Callable[[SessionState, SessionToolCall], Decided | None]] = {
    "spawn_session": _spawn,
    "wintermute.spawn_sub_session": _spawn_worker,
    "protoagent.delegate_in_background": _delegate,
    "fork_session": _spawn,
    "wait_for_sessions": _wait,
    "report_result": _report,
    "begin_task": tasks.begin_task,
    "end_task": tasks.end_task,
    "cancel_task": tasks.cancel_task,
}


def reported(call: SessionToolCall) -> str | None:
    """What a completed `report_result` reports; None for any other call."""
    if call.tool != "report_result" or call.status is not CallStatus.COMPLETED:
        return None
    return arguments_of(call, Report).result


def _outcome(child: ChildState) -> Json:
    outcome: dict[str, Json] = {"id": child.child_id, "status": child.status}
    if child.status == "error":
        return outcome | {"error": child.error or "it failed"}
    outcome["result"] = child.result or ""
    if child.status == "completed" and not child.reported:
        outcome["reported"] = False
    return outcome

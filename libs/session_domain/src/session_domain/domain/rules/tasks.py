"""Tasks, which tools begin and end in the fold: what was said in one is hidden behind its summary."""

import msgspec

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import TaskStep
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.rules.engine_calls import CallRefused, Decided, Text, arguments_of, completed
from session_domain.domain.state import SessionState, Task


class BeginTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `begin_task`."""

    title: Text


class EndTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `end_task`."""

    summary: Text


class CancelTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `cancel_task`: none."""


def begin_task(state: SessionState, call: SessionToolCall) -> Decided:
    """`begin_task`: a task inside of those that are open."""
    title = arguments_of(call, BeginTask).title
    return completed(call, {"task": title, "open": len(state.tasks) + 1})


def end_task(state: SessionState, call: SessionToolCall) -> Decided:
    """`end_task`: the innermost is over, and what was said in it is hidden behind its summary."""
    asked = arguments_of(call, EndTask)
    task = _current_task(state)
    done = completed(call, {"ended": task.title})
    if call.status is CallStatus.REQUESTED:
        return done
    inside = _inside(state, task)
    if not inside:
        return done
    return ev.MessagesShadowed(inside[0], inside[-1], f"{task.title}: {asked.summary}", "task")


def after_code(state: SessionState, steps: tuple[TaskStep, ...]) -> tuple[Task, ...]:
    """The tasks once code has begun and ended these. Whatever ends none that is open changes nothing."""
    tasks, here = list(state.tasks), state.history[-1].sequence
    for step in steps:
        if step.begins is not None:
            tasks.append(Task(step.begins, here))
            continue
        at = next((at for at in reversed(range(len(tasks))) if tasks[at].summary is None), None)
        if at is None:
            continue
        if _inside(state, tasks[at]):
            tasks[at] = msgspec.structs.replace(tasks[at], summary=step.ends)
        else:
            del tasks[at]
    return tuple(tasks)


def hidden_next(state: SessionState) -> ev.MessagesShadowed | None:
    """What was said in the innermost task that code ended, to be hidden behind its summary."""
    task = ended_by_code(state)
    if task is None:
        return None
    inside = _inside(state, task)
    return ev.MessagesShadowed(inside[0], inside[-1], f"{task.title}: {task.summary}", "task")


def ended_by_code(state: SessionState) -> Task | None:
    """The innermost task that code ended and that is still to be hidden."""
    return next((task for task in reversed(state.tasks) if task.summary is not None), None)


def _inside(state: SessionState, task: Task) -> list[int]:
    return [m.sequence for m in state.history if task.began < m.sequence < state.history[-1].sequence]


def cancel_task(state: SessionState, call: SessionToolCall) -> Decided:
    """`cancel_task`: the innermost is none any more; nothing is hidden."""
    arguments_of(call, CancelTask)
    return completed(call, {"cancelled": _current_task(state).title})


def _current_task(state: SessionState) -> Task:
    if not state.tasks:
        raise CallRefused(ErrorKind.REJECTED, "no task is open: begin one with begin_task")
    return state.tasks[-1]


def tasks_after(state: SessionState, call: SessionToolCall) -> tuple[Task, ...]:
    """The open tasks once this call has ended; tasks nest, the innermost ends first."""
    if call.status is not CallStatus.COMPLETED:
        return state.tasks
    match call.tool:
        case "begin_task":
            return (*state.tasks, Task(arguments_of(call, BeginTask).title, state.history[-1].sequence))
        case "end_task" | "cancel_task":
            return state.tasks[:-1]
        case _:
            return state.tasks

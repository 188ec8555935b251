"""`foldline schedules`."""

import uuid
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import msgspec
import typer

from agent_contracts.api.schedules import Schedule, ScheduleRun
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, done, failures_shown


class ScheduleAction(StrEnum):
    """The action to take."""

    LIST = "list"
    ADD = "add"
    PAUSE = "pause"
    RESUME = "resume"
    RUN = "run"
    RUNS = "runs"
    DELETE = "delete"


_DONE = {
    ScheduleAction.PAUSE: "is paused",
    ScheduleAction.RESUME: "runs at its times again",
    ScheduleAction.RUN: "runs now",
    ScheduleAction.DELETE: "is deleted; its runs and versions stay in the log",
}


def schedules(
    action: Annotated[ScheduleAction, typer.Argument(help="The action to take.")] = ScheduleAction.LIST,
    which: Annotated[str | None, typer.Argument(help="The task: its id (t_…) or its name.")] = None,
    task: Annotated[str | None, typer.Option(help="add: the message that starts each new session.")] = None,
    cron: Annotated[str | None, typer.Option(help="add: five fields, @daily or @every SECONDS.")] = None,
    at: Annotated[str | None, typer.Option(help="add: run once at this time (ISO 8601).")] = None,
    zone: Annotated[
        str | None,
        typer.Option("--timezone", help="add: the timezone of --cron and --at (default: the agent's)."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="add: the model of the task's sessions.")] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List, add, pause, resume, remove or run an agent's scheduled tasks, or list a task's runs.

    Each run is a new session.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        match action:
            case ScheduleAction.LIST:
                _list(door.read(f"{path}/schedules", Page[Schedule]).items, as_json)
            case ScheduleAction.ADD:
                given = {
                    "name": which,
                    "task": task,
                    "cron": cron,
                    "at": at,
                    "timezone": zone,
                    "model": model,
                }
                if which is None or task is None:
                    raise Rejected(
                        "Say what and when: foldline schedules add NAME --task TEXT --cron '0 9 * * *'",
                        kind="invalid_request",
                    )
                body = {name: value for name, value in given.items() if value is not None}
                made = msgspec.convert(door.post(f"{path}/schedules", body, uuid.uuid4().hex), Schedule)
                done(made, f"{made.id} runs next at {_next(made)}", as_json)
            case _:
                meant = _find(door, f"{path}/schedules", which)
                _of_one(door, f"{path}/schedules/{meant.id}", action, as_json)


def _find(door: Gateway, path: str, named: str | None) -> Schedule:
    """The task of this id or name, or whose id alone begins so. `Rejected` for none, and for several."""
    if named is None:
        raise Rejected("Name a task by its id or name. Try: foldline schedules", kind="invalid_request")
    every = door.read(path, Page[Schedule]).items
    found = (
        [one for one in every if one.id == named]
        or [one for one in every if one.name == named]
        or [one for one in every if one.id.startswith(named)]
    )
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(one.id for one in found)
        raise Rejected(f"Several tasks are called {named}: {ids}. Name one by its id", kind="invalid_request")
    raise Rejected(f"There is no scheduled task {named}. Try: foldline schedules", kind="not_found")


def _of_one(door: Gateway, path: str, action: ScheduleAction, as_json: bool) -> None:
    if action is ScheduleAction.RUNS:
        runs = door.read(f"{path}/runs", Page[ScheduleRun], limit=50).items
        columns = ("due", "outcome", "session", "by", "why")
        listed(runs, columns, _run, none="It has not run yet.", as_json=as_json)
        return
    told = (
        door.delete(path)
        if action is ScheduleAction.DELETE
        else door.post(f"{path}:{action}", {}, uuid.uuid4().hex)
    )
    done(told, f"{path.rpartition('/')[2]} {_DONE[action]}", as_json)


def _run(run: ScheduleRun) -> tuple[str, ...]:
    by = "by hand" if run.by_hand else ""
    return run.due_at, run.outcome, run.session_id or "no session", by, run.reason or ""


def _list(found: Sequence[Schedule], as_json: bool) -> None:
    none = "No scheduled tasks. Ask the agent: every morning, tell me …"
    listed(found, ("task", "name", "when", "state"), _row, none=none, as_json=as_json)


def _row(one: Schedule) -> tuple[str, ...]:
    when = f"{one.cron_words} ({one.timezone})" if one.cron else f"once at {one.at}"
    state = f"next {_next(one)}" if one.enabled else f"paused: {one.paused_because or 'by hand'}"
    return one.id, one.name, when, state


def _next(one: Schedule) -> str:
    return one.next[0] if one.next else "no time any more"

"""`foldline schedules`."""

import uuid
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    ADD = "add"
    PAUSE = "pause"
    RESUME = "resume"
    RUN = "run"
    RUNS = "runs"
    DELETE = "delete"
    TIMEZONE = "timezone"


_DONE = {
    Action.PAUSE: "is paused",
    Action.RESUME: "runs at its times again",
    Action.RUN: "runs now",
    Action.DELETE: "is deleted; its runs and versions stay in the log",
}


def schedules(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.LIST,
    which: Annotated[
        str | None, typer.Argument(help="A task, t_… or its name; timezone: an IANA name.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="add: what is said in each new session.")] = None,
    cron: Annotated[str | None, typer.Option(help="add: when, as five fields or @daily.")] = None,
    at: Annotated[str | None, typer.Option(help="add: when, once, in ISO 8601.")] = None,
    zone: Annotated[str | None, typer.Option("--timezone", help="add: of --cron and --at.")] = None,
    model: Annotated[str | None, typer.Option(help="add: the model of its sessions.")] = None,
    agent: Annotated[str, typer.Option(help="Whose they are.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List an agent's scheduled tasks, add one, pause it, run it now, see its runs; set the timezone.

    Each run is a session of its own.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        match action:
            case Action.LIST:
                _list(door.get(f"{path}/schedules"), as_json)
            case Action.TIMEZONE:
                found = door.put(f"{path}/timezone", {"timezone": which}) if which else None
                _timezone(found or door.get(f"{path}/timezone"), as_json)
            case Action.ADD:
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
                made = door.post(f"{path}/schedules", body, uuid.uuid4().hex)
                _say(made, f"[green]✓[/] {made['id']} runs next at {_next(made)}", as_json)
            case _:
                found = _find(door, f"{path}/schedules", which)
                _of_one(door, f"{path}/schedules/{found['id']}", action, as_json)


def _find(door: Gateway, path: str, named: str | None) -> dict[str, Any]:
    """The task of this id or name. `Rejected` for none, or for several of the name."""
    if named is None:
        raise Rejected("Name a task by its id or name. Try: foldline schedules", kind="invalid_request")
    every: list[dict[str, Any]] = door.get(path)["schedules"]
    found = [one for one in every if one["id"] == named] or [one for one in every if one["name"] == named]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(one["id"] for one in found)
        raise Rejected(f"Several tasks are called {named}: {ids}. Name one by its id", kind="invalid_request")
    raise Rejected(f"There is no scheduled task {named}. Try: foldline schedules", kind="not_found")


def _of_one(door: Gateway, path: str, action: Action, as_json: bool) -> None:
    name = path.rpartition("/")[2]
    if action is Action.RUNS:
        found = door.get(f"{path}/runs", limit=50)["runs"]
        if as_json:
            print_json(found)
            return
        for run in found:
            by = " · by hand" if run["by_hand"] else ""
            console.print(
                f"{run['due_at']}  {run['outcome']}  [dim]{run['session_id'] or 'no session'}{by}[/]",
                highlight=False,
                soft_wrap=True,
            )
        if not found:
            console.print("it has not run yet")
        return
    done = (
        door.delete(path) if action is Action.DELETE else door.post(f"{path}/{action}", {}, uuid.uuid4().hex)
    )
    _say(done, f"[green]✓[/] {name} {_DONE[action]}", as_json)


def _list(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found["schedules"])
        return
    for one in found["schedules"]:
        when = f"{one['cron']} ({one['timezone']})" if one["cron"] else f"once at {one['at']}"
        state = f"next {_next(one)}" if one["enabled"] else f"paused: {one['paused_because'] or 'by hand'}"
        console.print(f"{one['id']}  {escape(one['name'])}  {when}  [dim]{escape(state)}[/]", highlight=False)
    if not found["schedules"]:
        console.print("no scheduled tasks. Ask the agent: every morning, tell me …", highlight=False)


def _next(one: dict[str, Any]) -> str:
    return str(one["next"][0]) if one["next"] else "no time any more"


def _timezone(found: dict[str, Any], as_json: bool) -> None:
    _say(found, f"{found['timezone']}", as_json)


def _say(value: Any, words: str, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        console.print(words, highlight=False, soft_wrap=True)

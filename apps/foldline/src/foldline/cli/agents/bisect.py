"""`foldline bisect`."""

import json
import time
import uuid
from typing import Annotated, Any, NoReturn

import typer
from rich.markup import escape

from agent_contracts.errors import Rejected, Transient
from agent_contracts.log.address import Address
from foldline.cli.client import Gateway, gateway
from foldline.cli.money import money
from foldline.cli.naming import agent_id, event_option
from foldline.cli.output import JsonOption, console, failures_shown, interrupted, print_json

_PAUSE_S = 0.5
_AT_WORK = ("running", "stopping")


def bisect(
    agent: Annotated[str, typer.Argument(help="The agent: its id, or the first characters of it.")],
    ask: Annotated[str | None, typer.Option(help="The message to send in each probe.")] = None,
    expect: Annotated[str | None, typer.Option(help="Text that the answer must contain.")] = None,
    expect_not: Annotated[str | None, typer.Option(help="Text that the answer must not contain.")] = None,
    regex: Annotated[
        bool, typer.Option("--regex", help="Treat the expected texts as regular expressions.")
    ] = False,
    function: Annotated[
        str | None,
        typer.Option(help="The agent's function to call instead of a message; it must return true."),
    ] = None,
    arguments: Annotated[str, typer.Option(help="The function's arguments, as JSON.")] = "{}",
    good: Annotated[
        Address | None, event_option("An event after which it worked; default: the first")
    ] = None,
    bad: Annotated[Address | None, event_option("An event after which it fails; default: now")] = None,
    model: Annotated[str | None, typer.Option(help="Use another model than the agent's.")] = None,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the running search.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip the confirmation of the cost.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the change that broke something. Shows the cost and asks first.

    Each probe runs your check on a past copy of the agent twice, and a third time if the results differ.
    Probes can't send anything and have no browser and no secrets. Stop with Ctrl-C, or with --stop from
    another terminal.
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}"
        if stop:
            _show(door.post(f"{path}/bisection:stop"), agent, as_json=as_json)
            return
        body: dict[str, Any] = {
            "ask": ask,
            "expect": expect,
            "expect_not": expect_not,
            "regex": regex,
            "function": function,
        }
        body |= {"arguments": _object(arguments), "model": model}
        body |= {"good": good and good.sequence, "bad": bad and bad.sequence}
        body = {name: value for name, value in body.items() if value is not None}
        cost = door.post(f"{path}:bisect-preview", body)
        if as_json and not yes:
            print_json(cost)
            return
        if not as_json:
            _print_cost(cost)
        if not yes:
            typer.confirm("Search?", abort=True)
        found = door.post(f"{path}:bisect", body, uuid.uuid4().hex)
        try:
            found = _followed(door, path, found, silent=as_json)
        except KeyboardInterrupt:
            _stopped(door, path)
        _show(found, agent, as_json=as_json)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise Rejected(f"--arguments is not JSON: {error}", kind="invalid_request") from error
    if not isinstance(value, dict):
        raise Rejected("--arguments must be a JSON object", kind="invalid_request")
    return value


def _print_cost(cost: dict[str, Any]) -> None:
    console.print(
        f"{cost['events']:,} events: at most {cost['probes']} probes, "
        f"{cost['least_runs']} to {cost['most_runs']} runs of the check.",
        highlight=False,
    )
    if cost["tokens"] is not None:
        price = "" if cost["cost_micros"] is None else f", {money(cost['cost_micros'])}"
        console.print(
            f"Estimated from recent turns: up to {cost['tokens']:,} tokens{price}.", highlight=False
        )
    else:
        console.print("The tokens of a run are not known yet.")
    console.print(f"[dim]Never more than {cost['most_tokens']:,} tokens.[/]", highlight=False)


def _followed(door: Gateway, path: str, found: dict[str, Any], *, silent: bool) -> dict[str, Any]:
    told = 0
    while True:
        probes = [one for one in found["probes"] if one["holds"] is not None]
        for number, one in enumerate(probes[told:], told + 1):
            if not silent:
                _print_probe(number, found["most_probes"], one)
        told = max(told, len(probes))
        if found["status"] not in _AT_WORK:
            return found
        time.sleep(_PAUSE_S)
        found = _newest(door, path)


def _newest(door: Gateway, path: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = door.get(f"{path}/bisection")["bisection"]
    except Transient:
        door.until_back()
        found = door.get(f"{path}/bisection")["bisection"]
    return found


def _stopped(door: Gateway, path: str) -> NoReturn:
    found = door.post(f"{path}/bisection:stop")
    if found["status"] != "stopped":
        interrupted(f"The search had ended: {found['status'].replace('_', ' ')}. The agent is as it was.")
    interrupted(
        f"Stopped after {len(found['probes'])} probes and {found['tokens']:,} tokens. "
        "The agent didn't change, and you can still read the probes' sessions."
    )


def _print_probe(number: int, most: int, probe: dict[str, Any]) -> None:
    sign = "[green]✓[/]" if probe["holds"] else "[red]✗[/]"
    answer = " ".join(probe["runs"][-1]["answer"].split())[:60]
    console.print(
        f"{sign} [dim]{number}/{most}[/] after event {probe['as_of_sequence']}: {escape(answer)}", highlight=False
    )


def _show(found: dict[str, Any], agent: str, *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    elif found["spoilt_by"] is not None:
        one = found["spoilt_by"]
        who = f"session {one['session_id']}" if one["session_id"] else "a person"
        did = "deleted" if one["deleted"] else "wrote"
        console.print(
            f"[green]✓[/] it fails from event {one['sequence']}: {who} {did} "
            f"{one['kind']}/{escape(one['name'])}",
            highlight=False,
        )
        thing = f"{one['kind']}/{one['name']}" if one["kind"] != one["name"] else one["kind"]
        console.print(
            f"[dim]to undo that: foldline rewind --agent {agent} --to {one['sequence'] - 1} "
            f"--only {escape(thing)}[/]",
            highlight=False,
        )
    else:
        console.print(f"[yellow]![/] {found['status']}: {escape(found['reason'] or '')}", highlight=False)
    if not as_json:
        console.print(f"[dim]{found['tokens']:,} tokens in {len(found['probes'])} probes[/]", highlight=False)
    if found["status"] not in ("found", "stopped"):
        raise typer.Exit(1)

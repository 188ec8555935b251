"""`foldline approvals` and `foldline policy`: what runs only with your yes, and what agents may do."""

import json
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from agent_contracts.api.policies import PolicyOfAgent
from agent_contracts.api.waiting import Approval
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from agent_contracts.policies import Rule
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, whole
from foldline.cli.output import JsonOption, console, done, failures_shown, needed, print_json
from foldline.cli.sessions.shown import exact
from foldline.cli.streams import written_text

_MOST = 1000


class ApprovalAction(StrEnum):
    """The action to take."""

    LIST = "list"
    SHOW = "show"
    ONCE = "once"
    SESSION = "session"
    COMMANDS = "commands"
    ALWAYS = "always"
    REFUSE = "refuse"


def approvals(
    action: Annotated[ApprovalAction, typer.Argument(help="The action to take.")] = ApprovalAction.LIST,
    call: Annotated[
        str | None, typer.Argument(help="The call: SESSION/CALL as listed, or the first characters of it.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="The reason for a refusal. The agent reads it.")] = None,
    arguments: Annotated[
        str | None, typer.Option(help="Allow the call with these arguments instead (JSON).")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List calls that wait for your approval; show, allow or refuse one.

    Allow it once, for its session or always, or allow all commands of its session in the same sandbox."""
    with failures_shown(), gateway() as door:
        waiting = _waiting(door, None if agent is None else agent_id(door, agent))
        if action is ApprovalAction.LIST:
            columns = ("session/call", "tool", "why", "what")
            listed(waiting, columns, _row, none="No call waits for your yes.", as_json=as_json)
            return
        one = _named(waiting, needed(call, "Say which", f"approvals {action} SESSION/CALL"))
        if action is ApprovalAction.SHOW and as_json:
            print_json(one)
            return
        if action is ApprovalAction.SHOW:
            console.print(exact(msgspec.to_builtins(one), indent=2), markup=False, soft_wrap=True)
            return
        response: dict[str, Any] = {"decision": action.value}
        if reason is not None:
            response["reason"] = reason
        if arguments is not None:
            response["arguments"] = _read(arguments, "The arguments are not JSON")
        told = door.post(
            f"/sessions/{one.session_id}/tool-responses", {"call_id": one.call_id, "response": response}
        )
        done(told, _answered(action, told.get("released", 0)), as_json)


def _answered(action: ApprovalAction, released: int) -> str:
    if action is ApprovalAction.REFUSE:
        return "Refused"
    others = f"{released} others" if released > 1 else "another one"
    return f"Allowed ({action}){f', and {others} that this rule allows' if released else ''}"


def policy(
    agent: Annotated[str, typer.Argument(help="The agent.")] = DEFAULT_AGENT,
    preset: Annotated[
        str | None, typer.Option(help="Set the preset: cautious, balanced or free. Keeps your rules.")
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(help='Read {"preset", "rules"} from this JSON file; - reads stdin.')
    ] = None,
    back_to: Annotated[int | None, typer.Option(help="Restore this version.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show or change an agent's policy: what it may do, when it asks, and what it may never do."""
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/policy"
        now = door.read(path, PolicyOfAgent)
        if back_to is not None:
            _told(door.post(f"{path}:revert", {"version": back_to}), as_json)
        elif preset is not None or rules is not None:
            value: dict[str, Any] = {
                "preset": now.preset,
                "rules": [msgspec.to_builtins(rule) for rule in now.rules],
            }
            if rules is not None:
                value |= _read(written_text(rules), "The policy is not JSON")
            if preset is not None:
                value["preset"] = preset
            _told(door.put(path, {**value, "version": now.version}), as_json)
        elif as_json:
            print_json(now)
        else:
            every = [*now.rules, *now.preset_rules]

            def row(rule: Rule) -> tuple[str, ...]:
                match = ", ".join(
                    f"{name}={value}" for name, value in msgspec.to_builtins(rule.match).items()
                )
                whose = "yours" if rule in now.rules else now.preset
                return rule.verdict.value, match or "everything else", whose, rule.note

            listed(every, ("verdict", "what", "whose", "why"), row, none="", as_json=False)


def _told(written: dict[str, Any], as_json: bool) -> None:
    rules = len(written["rules"])
    done(written, f"Version {written['version']}: {written['preset']}, and {rules} rules of yours", as_json)


def _read(text: str, problem: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Rejected(f"{problem}: {error}", kind="invalid_request") from error
    if not isinstance(value, dict):
        raise Rejected(f"{problem}: they must be an object", kind="invalid_request")
    return value


def _row(one: Approval) -> tuple[str, ...]:
    wanted = one.where if one.asks is None else msgspec.to_builtins(one.asks)
    return _name(one), one.tool, one.rule, exact(wanted or one.arguments)[:200]


def _name(one: Approval) -> str:
    return f"{one.session_id}/{one.call_id}"


def _named(waiting: list[Approval], named: str) -> Approval:
    found = {_name(one): one for one in waiting}
    if not any(name.startswith(named) for name in found):
        raise Rejected(f"{named} doesn't wait for approval", kind="not_found")
    return found[whole([*found], named, "approval")]


def _waiting(door: Gateway, agent: str | None) -> list[Approval]:
    every = door.every("/approvals", agent_id=agent, limit=100)
    return [msgspec.convert(one, Approval) for one in islice(every, _MOST)]

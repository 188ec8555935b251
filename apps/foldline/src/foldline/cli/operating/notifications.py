"""`foldline notifications`: how a person is reached away from the page."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.api.notifications import Notifications, OfferedChannel, ShownChannel
from agent_contracts.errors import Rejected
from agent_contracts.form_inputs import FormInput
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.output import JsonOption, console, failures_shown, print_json

_NONE = "none"
_PATH = "/notifications"


class NotificationAction(StrEnum):
    """The action to take."""

    LIST = "list"
    KINDS = "kinds"
    SET = "set"
    DELETE = "delete"
    TEST = "test"
    PREFER = "prefer"


def notifications(
    action: Annotated[
        NotificationAction,
        typer.Argument(
            help="The action to take. `kinds` lists what channels there can be, with their fields; `prefer` "
            "changes the settings for all channels."
        ),
    ] = NotificationAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The channel's name: a-z, 0-9 and -.")] = None,
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND] [FIELD=VALUE]…",
            help="set: the kind of the channel and its fields, such as ntfy topic=my-topic. Without them the "
            "channel leads where it led before.",
        ),
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="set: prompt for this secret field, such as token. Repeatable."),
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="set: reminder, question or failure. Repeatable (default: all).")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="set: turn the channel off.")] = False,
    quiet: Annotated[
        str | None, typer.Option(help="prefer: quiet hours, such as 22:00-07:00, or none.")
    ] = None,
    timezone: Annotated[str | None, typer.Option(help="prefer: the timezone of the quiet hours.")] = None,
    show_text: Annotated[
        bool | None,
        typer.Option(
            "--show-text/--hide-text", help="prefer: quote the chat's text in notifications, or not."
        ),
    ] = None,
    address: Annotated[str | None, typer.Option(help="prefer: the base address of links, or none.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Set up notifications: by mail, ntfy, a webhook. A browser subscribes on the web page.

    Passwords and tokens are prompted for, or read from standard input, a line each; never pass them on the
    command line.
    """
    with failures_shown(), gateway() as door:
        if action is NotificationAction.LIST:
            _show(door.read(_PATH, Notifications), as_json)
            return
        if action is NotificationAction.KINDS:
            _show_kinds(door.read(_PATH, Notifications).offered, as_json)
            return
        if action is NotificationAction.PREFER:
            done = _prefer(door, quiet, timezone, show_text, address)
        elif name is None:
            raise Rejected(f"Name the channel: foldline notifications {action} NAME", kind="invalid_request")
        elif action is NotificationAction.SET:
            body: dict[str, Any] = {"enabled": not off, **({"kinds": kind} if kind else {})}
            if given:
                offered = door.read(_PATH, Notifications).offered
                body["target"] = _target(offered, given, ask or ())
            done = door.put(f"{_PATH}/channels/{name}", body)
        elif action is NotificationAction.DELETE:
            done = door.delete(f"{_PATH}/channels/{name}")
            if not done["deleted"]:
                raise Rejected(f"There is no channel named {name}", kind="not_found")
        else:
            done = door.post(f"{_PATH}/channels/{name}:test")
        if as_json:
            print_json(done)
        else:
            _say(action, name, done)
        if action is NotificationAction.TEST and not done["delivered"]:
            raise typer.Exit(1)


def _target(offered: Sequence[OfferedChannel], given: Sequence[str], ask: Sequence[str]) -> dict[str, Any]:
    """Where the channel is to lead, by what the gateway says of its kind."""
    kind, *pairs = given
    by_hand = {one.kind: one.inputs for one in offered if one.by_hand}
    if kind not in by_hand:
        raise Rejected(
            f"{kind!r} is not a kind of channel: choose {' or '.join(by_hand)}", kind="invalid_request"
        )
    inputs = {one.name: one for one in by_hand[kind]}
    values: dict[str, Any] = {}
    for pair in pairs:
        name, is_given, text = pair.partition("=")
        if not is_given:
            raise Rejected(f"Write FIELD=VALUE, not {pair!r}", kind="invalid_request")
        values[name] = _value(_known(inputs, name, kind), text)
    asked = [_known(inputs, name, kind) for name in ask]
    asked += [one for one in inputs.values() if one.type == "secret" and one.required and one not in asked]
    values |= {one.name: _asked(one.label) for one in asked}
    missing = [name for name, one in inputs.items() if one.required and name not in values]
    if missing:
        needed = " ".join(f"{name}=VALUE" for name in missing)
        raise Rejected(f"A channel by {kind} also needs {needed}", kind="invalid_request")
    return {"kind": kind, **values}


def _known(inputs: Mapping[str, FormInput], name: str, kind: str) -> FormInput:
    if name not in inputs:
        raise Rejected(f"{kind} has no field {name!r}: it has {', '.join(inputs)}", kind="invalid_request")
    return inputs[name]


def _value(one: FormInput, text: str) -> str | int:
    if one.type == "secret":
        raise Rejected(
            f"Never type a secret on the command line, where others can read it: use --ask {one.name}",
            kind="invalid_request",
        )
    if one.type != "integer":
        return text
    if not text.isdecimal():
        raise Rejected(f"{one.name} is a whole number", kind="invalid_request")
    return int(text)


def _show_kinds(offered: Sequence[OfferedChannel], as_json: bool) -> None:
    if as_json:
        print_json(offered)
        return
    rows = [(one.kind, of) for one in offered if one.by_hand for of in one.inputs]
    listed(rows, ("kind", "field", "needed", "meaning"), _field_row, none="", as_json=False)


def _field_row(row: tuple[str, FormInput]) -> tuple[str, ...]:
    kind, one = row
    needed = "needed" if one.required else "" if one.default is None else f"default: {one.default}"
    if one.type == "secret":
        needed = f"{needed}, secret" if needed else "secret"
    choices = "" if one.options is None else " or ".join(option.value for option in one.options)
    return (
        kind,
        one.name,
        needed,
        ": ".join(part for part in (one.label, one.help or one.hint or choices) if part),
    )


def _say(action: NotificationAction, name: str | None, done: dict[str, Any]) -> None:
    match action:
        case NotificationAction.TEST if not done["delivered"]:
            console.print(f"[bold red]✗[/] {escape(done['error'] or '')}", highlight=False, soft_wrap=True)
        case NotificationAction.TEST:
            console.print(f"[green]✓[/] {name} took the test message")
        case NotificationAction.DELETE:
            console.print(f"[green]✓[/] {name} is deleted")
        case NotificationAction.SET:
            console.print(f"[green]✓[/] {name} is set; try it: foldline notifications test {name}")
            if done.get("secret"):
                console.print(
                    f"  its messages are signed with this secret, which isn't shown again: {done['secret']}",
                    highlight=False,
                    soft_wrap=True,
                )
        case _:
            console.print("[green]✓[/] set")


def _show(found: Notifications, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    none = "No channel is set: foldline notifications set NAME ntfy topic=TOPIC"
    listed(found.channels, ("channel", "leads to", "tells of", "state"), _row, none=none, as_json=False)
    prefers = found.preferences
    if (hours := prefers.quiet) is not None:
        told = f"Quiet from {hours.begins} to {hours.ends} ({hours.timezone})"
        console.print(told, style="dim", highlight=False)
    if not prefers.show_text:
        console.print("Messages quote nothing", style="dim", highlight=False)


def _row(one: ShownChannel) -> tuple[str, ...]:
    where = f"{one.noun}: {one.leads_to}" if one.readable else "unreadable"
    return one.name, where, ", ".join(one.kinds), _state(one)


def _state(one: ShownChannel) -> str:
    if not one.readable:
        return "it can't be read: the key of the secrets or this kind of channel has changed. Set it again"
    if one.gone:
        return "the browser no longer takes messages: subscribe there again"
    if one.error:
        return f"failed {one.failed_at}: {one.error}"
    if not one.enabled:
        return "off"
    return f"delivered {one.delivered_at}" if one.delivered_at else "nothing was sent yet"


def _prefer(
    door: Gateway, quiet: str | None, timezone: str | None, show_text: bool | None, address: str | None
) -> dict[str, Any]:
    path = f"{_PATH}/preferences"
    body: dict[str, Any] = {}
    if quiet == _NONE:
        body["quiet"] = None
    elif quiet is not None:
        begins, _, ends = quiet.partition("-")
        zone = timezone or (door.get(path)["quiet"] or {}).get("timezone")
        if zone is None:
            raise Rejected("Say by --timezone where those hours are: Europe/Oslo", kind="invalid_request")
        body["quiet"] = {"begins": begins, "ends": ends, "timezone": zone}
    elif timezone is not None and (hours := door.get(path)["quiet"]) is not None:
        body["quiet"] = {**hours, "timezone": timezone}
    if show_text is not None:
        body["show_text"] = show_text
    if address is not None:
        body["address"] = None if address == _NONE else address
    done: dict[str, Any] = door.patch(path, body)
    return done


def _asked(what: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(what, hide_input=True))
    return sys.stdin.readline().removesuffix("\n")

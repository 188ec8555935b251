"""`foldline notifications`: how a person is reached away from the page."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.api.notifications import Notifications, ShownChannel
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.output import JsonOption, console, failures_shown, print_json

_NONE = "none"
_PATH = "/notifications"


class NotificationAction(StrEnum):
    """The action to take."""

    LIST = "list"
    SET = "set"
    DELETE = "delete"
    TEST = "test"
    PREFER = "prefer"


class Security(StrEnum):
    """How the connection to a mail server is kept secret."""

    TLS = "tls"
    STARTTLS = "starttls"
    NONE = "none"


def notifications(
    action: Annotated[
        NotificationAction,
        typer.Argument(help="The action to take. `prefer` changes the settings for all channels."),
    ] = NotificationAction.LIST,
    name: Annotated[str | None, typer.Argument(help="The channel's name: a-z, 0-9 and -.")] = None,
    webhook: Annotated[
        str | None, typer.Option(help="set: the webhook's address; it gets a signed POST.")
    ] = None,
    ntfy: Annotated[str | None, typer.Option(help="set: the ntfy topic, https://ntfy.sh/TOPIC.")] = None,
    email: Annotated[str | None, typer.Option(help="set: the mail address.")] = None,
    server: Annotated[str | None, typer.Option(help="set --email: the mail server, HOST:PORT.")] = None,
    sender: Annotated[
        str | None, typer.Option(help="set --email: the sender (default: the mail address).")
    ] = None,
    username: Annotated[str | None, typer.Option(help="set --email: the mail server's user name.")] = None,
    security: Annotated[Security, typer.Option(help="set --email: tls, starttls, none.")] = Security.STARTTLS,
    token: Annotated[bool, typer.Option("--token", help="set --ntfy: prompt for an access token.")] = False,
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
    """Set up notifications by webhook, ntfy or mail. A browser subscribes on the web page.

    Passwords and tokens are prompted for, or read from standard input; never pass them on the command line.
    """
    with failures_shown(), gateway() as door:
        if action is NotificationAction.LIST:
            _show(door.read(_PATH, Notifications), as_json)
            return
        if action is NotificationAction.PREFER:
            done = _prefer(door, quiet, timezone, show_text, address)
        elif name is None:
            raise Rejected(f"Name the channel: foldline notifications {action} NAME", kind="invalid_request")
        elif action is NotificationAction.SET:
            body: dict[str, Any] = {"enabled": not off, **({"kinds": kind} if kind else {})}
            if sum(one is not None for one in (webhook, ntfy, email)) > 1:
                raise Rejected("Give one of --webhook, --ntfy and --email", kind="invalid_request")
            if webhook:
                body["webhook"] = {"url": webhook}
            if ntfy:
                body["ntfy"] = _ntfy(ntfy, token)
            if email:
                body["email"] = _email(email, server, sender, username) | {"security": security.value}
            done = door.put(f"{_PATH}/channels/{name}", body)
        elif action is NotificationAction.DELETE:
            done = door.delete(f"{_PATH}/channels/{name}")
            if not done["deleted"]:
                raise Rejected(f"There is no channel named {name}", kind="not_found")
        else:
            done = door.post(f"{_PATH}/channels/{name}/test")
        if as_json:
            print_json(done)
        else:
            _say(action, name, done)
        if action is NotificationAction.TEST and not done["delivered"]:
            raise typer.Exit(1)


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
    none = "No channel is set: foldline notifications set NAME --ntfy https://ntfy.sh/TOPIC"
    listed(found.channels, ("channel", "leads to", "tells of", "state"), _row, none=none, as_json=False)
    prefers = found.preferences
    if (hours := prefers.quiet) is not None:
        told = f"Quiet from {hours.begins} to {hours.ends} ({hours.timezone})"
        console.print(told, style="dim", highlight=False)
    if not prefers.show_text:
        console.print("Messages quote nothing", style="dim", highlight=False)


def _row(one: ShownChannel) -> tuple[str, ...]:
    where = f"{one.kind} to {one.leads_to}" if one.readable else "unreadable"
    return one.name, where, ", ".join(one.kinds), _state(one)


def _state(one: ShownChannel) -> str:
    if not one.readable:
        return "it was stored with another key of the secrets: set it anew"
    if one.gone:
        return "the browser no longer takes messages: subscribe there again"
    if one.error:
        return f"failed {one.failed_at}: {one.error}"
    if not one.enabled:
        return "off"
    return f"delivered {one.delivered_at}" if one.delivered_at else "nothing was sent yet"


def _ntfy(topic: str, token: bool) -> dict[str, Any]:
    base, _, name = topic.rstrip("/").rpartition("/")
    if not base.startswith("http"):
        raise Rejected("--ntfy is a topic's whole address: https://ntfy.sh/TOPIC", kind="invalid_request")
    return {"server": base, "topic": name, **({"token": _asked("access token")} if token else {})}


def _email(to: str, server: str | None, sender: str | None, username: str | None) -> dict[str, Any]:
    host, _, port = (server or "").rpartition(":")
    if not host or not port.isdecimal():
        raise Rejected("Say by --server HOST:PORT which mail server sends it", kind="invalid_request")
    login = {"username": username, "password": _asked(f"password of {username}")} if username else {}
    return {"host": host, "port": int(port), "to": to, "sender": sender or to, **login}


def _prefer(
    door: Gateway, quiet: str | None, timezone: str | None, show_text: bool | None, address: str | None
) -> dict[str, Any]:
    now = door.get(_PATH)["preferences"]
    hours = now["quiet"]
    if quiet == _NONE:
        hours = None
    elif quiet is not None:
        begins, _, ends = quiet.partition("-")
        zone = timezone or (hours or {}).get("timezone")
        if zone is None:
            raise Rejected("Say by --timezone where those hours are: Europe/Oslo", kind="invalid_request")
        hours = {"begins": begins, "ends": ends, "timezone": zone}
    elif timezone is not None and hours is not None:
        hours = {**hours, "timezone": timezone}
    body = {
        "show_text": now["show_text"] if show_text is None else show_text,
        "quiet": hours,
        "address": now["address"] if address is None else None if address == _NONE else address,
    }
    done: dict[str, Any] = door.put(f"{_PATH}/preferences", body)
    return done


def _asked(what: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(what, hide_input=True))
    return sys.stdin.read().removesuffix("\n")

"""`foldline events`."""

import json
from typing import Annotated, Any

import typer
from rich.markup import escape

from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json

_PAGE = 500


def events(
    session: SessionName,
    after: Annotated[int, typer.Option(min=0, help="Only events after this log sequence.")] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep showing new events as they come.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print a session's raw events."""
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        for event in _stored(door, session, after):
            after = event["sequence"]
            _print(event, as_json)
        if follow:
            for message in door.follow(session, after):
                if message.event == "event":
                    _print(json.loads(message.data), as_json)


def _stored(door: Gateway, session: str, after: int) -> Any:
    position: int | None = after
    while position is not None:
        page = door.get(f"/sessions/{session}/events", after=position, limit=_PAGE)
        yield from page["events"]
        position = page["next_after"]


def _print(event: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(event)
        return
    if event["problem"]:
        console.print(
            f"[dim]{event['sequence']:>6} {event['time'][:19]}[/] [bold red]skipped[/] "
            f"{escape(event['problem'])}",
            highlight=False,
            soft_wrap=True,
        )
        return
    kind = event["type"].removeprefix("foldline.").removesuffix(".v1")
    body = escape(json.dumps(event["body"], ensure_ascii=False))
    console.print(
        f"[dim]{event['sequence']:>6} {event['time'][:19]}[/] [bold]{kind}[/] {event['actor']} {body}",
        highlight=False,
        soft_wrap=True,
    )

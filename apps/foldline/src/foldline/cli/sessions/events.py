"""`foldline events`."""

import json
from typing import Annotated, Any

import typer
from rich.markup import escape

from agent_contracts.log.address import NOWHERE, Address
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, after_option, session_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json

_PAGE = 500


def events(
    session: SessionName,
    after: Annotated[Address | None, after_option("Only events after this one")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new events.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print a session's raw events."""
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        last = str(after or NOWHERE)
        for event in door.every(f"/sessions/{session}/events", cursor=last, limit=_PAGE):
            last = event["address"]
            _print(event, as_json)
        if follow:
            for message in door.follow(session, last):
                if message.event == "event":
                    _print(json.loads(message.data), as_json)


def _print(event: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(event)
        return
    if event["problem"]:
        console.print(
            f"[dim]{event['address']:>6} {event['time'][:19]}[/] [bold red]skipped[/] "
            f"{escape(event['problem'])}",
            highlight=False,
            soft_wrap=True,
        )
        return
    kind = event["type"].removeprefix("foldline.").removesuffix(".v1")
    body = escape(json.dumps(event["body"], ensure_ascii=False))
    console.print(
        f"[dim]{event['address']:>6} {event['time'][:19]}[/] [bold]{kind}[/] {event['actor']} {body}",
        highlight=False,
        soft_wrap=True,
    )

"""`foldline show`."""

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.pretty import Pretty

from foldline.cli.client import Gateway, gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def show(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    at: Annotated[int | None, typer.Option(help="As it was after this event (a log sequence).")] = None,
    call: Annotated[int | None, typer.Option(help="Exactly what the N-th model call saw and said.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a session as it is, as it was at an event, or what a model call saw."""
    with failures_shown(), gateway() as door:
        if call is not None:
            shown = door.get(f"/sessions/{session}/model-calls/{call}")
        else:
            sequence = at if at is not None else _last_event(door, session)
            shown = door.get(f"/sessions/{session}/state", at=sequence)
        if as_json:
            print_json(shown)
        elif call is not None:
            console.print(Pretty(shown, expand_all=True))
        else:
            _print_state(shown)


def _last_event(door: Gateway, session: str) -> int:
    return int(door.get(f"/sessions/{session}")["last_sequence"])


def _print_state(state: dict[str, Any]) -> None:
    usage = state["usage"]
    console.print(
        f"[bold]{escape(state['title'] or 'Untitled')}[/]  {state['status']}  "
        f"{usage['input']} + {usage['output']} of {state['token_limit']} tokens  "
        f"{state['events']} events, the last {state['last_sequence']}",
        highlight=False,
    )
    for message in state["messages"] + state["queue"]:
        colour = "cyan" if message["role"] == "user" else "green"
        console.print(
            f"[dim]{message['sequence']:>6}[/] [{colour}]{message['role']}[/] {escape(message['text'])}"
        )
        for call in message["tool_calls"]:
            outcome = call.get("error") or call.get("result") or call.get("show") or ""
            console.print(
                f"       [yellow]{call['tool']}[/] {call['status']} "
                f"{escape(str(call['arguments']))} → {escape(str(outcome))}",
                highlight=False,
            )

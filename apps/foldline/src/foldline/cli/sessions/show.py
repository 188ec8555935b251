"""`foldline show`."""

import json
from typing import Annotated

import msgspec
import typer
from rich.markup import escape

from agent_contracts.api.files import StoredFile
from agent_contracts.errors import Rejected
from agent_contracts.log.address import Address, parse_address
from agent_contracts.outside import told
from agent_contracts.session_events.decisions import ForkMade
from agent_contracts.sessions.session_view import FoldedCall, SessionView
from foldline.cli.client import Gateway, gateway
from foldline.cli.money import money
from foldline.cli.naming import SessionName, event_option, session_id
from foldline.cli.output import JsonOption, clean, console, failures_shown, print_json
from foldline.cli.sessions.model_call import print_model_call
from foldline.cli.sessions.turns import how_it_goes_on

_FILES = 20
"""Files that are shown."""
_SOURCES = 10
"""Of the material from outside, how many sources are named."""
_LONGEST = 600
"""Characters of a call's arguments or result that are shown; `--json` has all."""
_FORK_MADE = "foldline.session.fork_made.v1"


def show(
    session: SessionName,
    at: Annotated[Address | None, event_option("Show it as of this event")] = None,
    call: Annotated[
        int | None, typer.Option(min=1, help="Show exactly what the N-th model call saw and answered.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a session now, as of an earlier event, or what one model call saw."""
    with failures_shown(), gateway() as door:
        if at is not None and call is not None:
            raise Rejected("--at and --call show different things: give one of them", kind="invalid_request")
        session = session_id(door, session)
        if call is not None:
            shown = door.get(f"/sessions/{session}/model-calls/{call}")
        else:
            shown = door.get(f"/sessions/{session}/state", at=None if at is None else str(at))
            moment = Address(shown["last_sequence"]) if at is None else at
            files = _files(door, session, shown["agent_id"], moment)
        if as_json:
            print_json(shown if call is not None else {**shown, "files": files})
        elif call is not None:
            print_model_call(shown)
        else:
            state = msgspec.convert(shown, SessionView)
            _print_conversation(state)
            _print_files(files)
            _print_rest(state, _forks(door, session, moment))


def _forks(door: Gateway, session: str, up_to: Address) -> list[ForkMade]:
    """The forks that had been made of it by then."""
    made = door.every(f"/sessions/{session}/events", type=_FORK_MADE, cursor="0")
    return [
        msgspec.convert(event["body"], ForkMade)
        for event in made
        if parse_address(event["address"]).place <= up_to.end
    ]


def _files(door: Gateway, session: str, agent: str, at: Address) -> list[StoredFile]:
    """What the session saw of files then."""
    found = door.every(f"/agents/{agent}/files", session_id=session, at=at.sequence, limit=1_000)
    return [msgspec.convert(one, StoredFile) for one in found]


def _print_conversation(state: SessionView) -> None:
    usage = state.usage
    console.print(
        f"[bold]{escape(state.title or 'Untitled')}[/]  {state.status}  "
        f"{usage.tokens} of {state.token_limit} tokens ({usage.input} read, {usage.cached_input} of them "
        f"cached, {usage.output} written), {money(usage.cost_micros)}  "
        f"{state.events} events, the last {state.last_sequence}",
        highlight=False,
        soft_wrap=True,
    )
    if (origin := state.forked_from) is not None:
        console.print(
            f"[dim]begins with {origin.session_id}'s history, up to event {origin.sequence}[/]",
            highlight=False,
        )
    if state.outside:
        console.print(f"[dim]holds material from {escape(told(state.outside, _SOURCES))}[/]", highlight=False)
    for message in (*state.messages, *state.queue):
        colour = "cyan" if message.role == "user" else "green"
        console.print(
            f"[dim]{message.sequence:>6}[/] [{colour}]{message.role}[/] {escape(clean(message.text))}"
            + (f" [dim]({message.incomplete})[/]" if message.incomplete else ""),
            highlight=False,
            soft_wrap=True,
        )
        for call in message.tool_calls:
            console.print(
                f"       {escape(call_line(call))}"
                + (f" [dim](from {escape(told(call.outside))})[/]" if call.outside else ""),
                highlight=False,
                soft_wrap=True,
            )


def call_line(call: FoldedCall) -> str:
    """A call and what became of it; of one that did not succeed, why."""
    asked = f"{call.tool} {_brief(call.arguments)}"
    if call.error is None:
        return f"{asked} {call.status} → {_brief(call.result or call.show)}"
    return f"✗ {asked} {call.status}: {clean(call.error.message)} ({call.error.kind})"


def _brief(value: object) -> str:
    """As JSON in one line, and of a long one the beginning."""
    text = "" if value is None else clean(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def _print_files(files: list[StoredFile]) -> None:
    for file in files[:_FILES]:
        console.print(
            f"[blue]file[/] {escape(file.path)} version {file.version}, {file.size:,} bytes",
            highlight=False,
        )
    if len(files) > _FILES:
        console.print(f"[dim]and {len(files) - _FILES} more files[/]", highlight=False)


def _print_rest(state: SessionView, forks: list[ForkMade]) -> None:
    for child in state.children:
        outcome = child.error or child.result or ""
        console.print(
            f"[magenta]sub-session[/] {child.child_id} {child.status} {escape(outcome)}", highlight=False
        )
    if state.error is not None:
        console.print(f"✗ {state.error.message}", markup=False, highlight=False)
    if (failed := state.failed_turn) is not None:
        going_on = how_it_goes_on(failed.retry_at, state.session_id)
        console.print(f"✗ {failed.message}\n{going_on}", markup=False, highlight=False)
    for fork in forks:
        console.print(f"[magenta]fork[/] {fork.session_id} at event {fork.at}", highlight=False)

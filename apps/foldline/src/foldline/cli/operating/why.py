"""`foldline why`: what a session waits for, or does again and again."""

import msgspec
from rich.markup import escape

from agent_contracts.api.messages import Messages
from agent_contracts.api.operating import Stuck, WorkOverview
from agent_contracts.api.sessions import Session
from agent_platform.process.clock import SystemClock, rfc3339
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, console, failures_shown, one_line, print_json
from foldline.cli.watching.call_loops import LOOKED_AT, call_loop
from foldline.cli.watching.overview import seconds_since
from foldline.cli.watching.reasons import WaitReason, reasons


def why(session: SessionName, as_json: JsonOption = False) -> None:
    """Say what a session waits for, since when, on whom, and what to do; and which call it repeats."""
    with failures_shown(), gateway() as door:
        id = session_id(door, session)
        found = door.read(f"/sessions/{id}", Session)
        stuck = bool(door.read("/stuck", Stuck, session_id=id).items)
        now = rfc3339(SystemClock().now())
        waits = reasons(found, door.read("/runners", WorkOverview), stuck, now)
        said = door.read(f"/sessions/{id}/messages", Messages, limit=LOOKED_AT).items
        turns = found.status in ("running", "token_limit_reached") or found.failed_turn
        loop = call_loop(id, said) if turns else None
        if loop is not None and found.status == "token_limit_reached":
            loop = msgspec.structs.replace(loop, to_do=f"foldline show {id}, before you raise its limit")
        if as_json:
            print_json({"session_id": id, "status": found.status, "waits": waits, "loop": loop})
            return
        status = found.status.replace("_", " ")
        if loop:
            _print_lines(f"It [bold]{escape(one_line(loop.words))}[/]", loop.since_at, now, loop.to_do)
        if not waits and not loop:
            console.print(f"{id} is {status} and waits for nothing.", highlight=False, soft_wrap=True)
        for one in waits:
            _print(one, now)


def _print(one: WaitReason, now: str) -> None:
    on = f", on {escape(one_line(one.on))}"
    _print_lines(f"It waits for [bold]{escape(one_line(one.what))}[/]", one.since_at, now, one.to_do, on)


def _print_lines(what: str, since_at: str | None, now: str, to_do: str, on: str = "") -> None:
    since = (
        f"since {since_at} ({seconds_since(since_at, now):.0f} s)" if since_at else "since when, nobody knows"
    )
    for line in (what, f"  [dim]{since}{on}[/]", f"  → {escape(one_line(to_do))}"):
        console.print(line, highlight=False, soft_wrap=True)

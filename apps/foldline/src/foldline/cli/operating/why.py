"""`foldline why`: what a session waits for."""

from rich.markup import escape

from agent_contracts.api.operating import Stuck, WorkOverview
from agent_contracts.api.sessions import Session
from agent_platform.process.clock import SystemClock, rfc3339
from foldline.cli.client import gateway
from foldline.cli.naming import SessionName, session_id
from foldline.cli.output import JsonOption, console, failures_shown, one_line, print_json
from foldline.cli.watching.overview import seconds_since
from foldline.cli.watching.reasons import WaitReason, reasons


def why(session: SessionName, as_json: JsonOption = False) -> None:
    """Say what a session waits for, since when, on whom, and what to do."""
    with failures_shown(), gateway() as door:
        id = session_id(door, session)
        found = door.read(f"/sessions/{id}", Session)
        stuck = any(one.session_id == id for one in door.read("/stuck", Stuck).items)
        now = rfc3339(SystemClock().now())
        waits = reasons(found, door.read("/runners", WorkOverview), stuck, now)
        if as_json:
            print_json({"session_id": id, "status": found.status, "waits": waits})
            return
        status = found.status.replace("_", " ")
        if not waits:
            console.print(f"{id} is {status} and waits for nothing.", highlight=False, soft_wrap=True)
        for one in waits:
            _print(one, now)


def _print(one: WaitReason, now: str) -> None:
    since = (
        f"since {one.since_at} ({seconds_since(one.since_at, now):.0f} s)"
        if one.since_at
        else "since when, nobody knows"
    )
    for line in (
        f"It waits for [bold]{escape(one_line(one.what))}[/]",
        f"  [dim]{since}, on {escape(one_line(one.on))}[/]",
        f"  → {escape(one_line(one.to_do))}",
    ):
        console.print(line, highlight=False, soft_wrap=True)

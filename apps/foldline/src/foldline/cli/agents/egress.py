"""`foldline egress`: what left the machine in the name of agents' calls."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

import msgspec
import typer

from agent_contracts.api.egress import EgressRecord
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import JsonOption, failures_shown


class EgressOutcome(StrEnum):
    """What became of a request."""

    SENT = "sent"
    ASKED = "asked"
    REFUSED = "refused"
    BLOCKED = "blocked"
    FAILED = "failed"


def egress(
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    session: Annotated[
        str | None, typer.Option(help="Only this session: its id, the first characters of it, or latest.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Only this host and its subdomains.")] = None,
    verdict: Annotated[EgressOutcome | None, typer.Option(help="Filter by outcome.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, help="Show at most N entries, newest first.")
    ] = 100,
    as_json: JsonOption = False,
) -> None:
    """List your agents' outgoing requests, allowed and blocked, newest first. --json has every detail."""
    with failures_shown(), gateway() as door:
        every = door.every(
            "/egress",
            "requests",
            cursor="cursor",
            agent_id=None if agent is None else agent_id(door, agent),
            session_id=None if session is None else session_id(door, session),
            host=host,
            verdict=verdict,
            limit=min(limit, 1000),
        )
        found = [msgspec.convert(one, EgressRecord) for one in islice(every, limit)]
        columns = ("when", "what", "where", "#out", "#in", "secrets", "tool", "session")
        listed(found, columns, _row, none="Nothing left this machine.", as_json=as_json)


def _row(one: EgressRecord) -> tuple[str, ...]:
    answer = "" if one.status is None else f" {one.status}"
    return (
        one.at[5:16].replace("T", " "),
        f"{one.verdict}{answer}",
        f"{one.method} {one.host}{one.path}",
        str(one.bytes_out),
        str(one.bytes_in),
        ", ".join(one.secrets),
        one.tool or "",
        one.session_id,
    )

"""`foldline egress`: what left the machine in the name of agents' calls."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, session_id
from foldline.cli.output import JsonOption, failures_shown
from gateway.queries.sent import Left


class Verdict(StrEnum):
    """What became of a request."""

    SENT = "sent"
    ASKED = "asked"
    REFUSED = "refused"
    BLOCKED = "blocked"
    FAILED = "failed"


def egress(
    agent: Annotated[str | None, typer.Option(help="Of which agent alone.")] = None,
    session: Annotated[
        str | None, typer.Option(help="Of which session alone, by id, its beginning or latest.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="To this host, or to one below it.")] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="What became of it.")] = None,
    most: Annotated[int, typer.Option(min=1, max=100_000, help="So many, the newest.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """List the requests that left this machine in the name of your agents' calls, newest first, and those
    that were kept from it. --json has all that is known of each."""
    with failures_shown(), gateway() as door:
        every = door.every(
            "/egress",
            "requests",
            cursor="cursor",
            agent_id=None if agent is None else agent_id(door, agent),
            session_id=None if session is None else session_id(door, session),
            host=host,
            verdict=verdict,
            limit=min(most, 1000),
        )
        found = [Left.model_validate(one) for one in islice(every, most)]
        columns = ("when", "what", "where", "#out", "#in", "secrets", "tool", "session")
        listed(found, columns, _row, none="Nothing left this machine.", as_json=as_json)


def _row(one: Left) -> tuple[str, ...]:
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

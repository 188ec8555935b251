"""`foldline costs`: what model calls cost, by day."""

from typing import Annotated, Any

import typer
from rich.table import Table

from foldline.cli.client import gateway
from foldline.cli.money import money
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def costs(
    agent: Annotated[str | None, typer.Argument(help="Which agent; without it, all.")] = None,
    days: Annotated[int, typer.Option(min=1, max=3660, help="So many, today among them.")] = 30,
    timezone: Annotated[str, typer.Option(help="Where days begin: an IANA name.")] = "UTC",
    as_json: JsonOption = False,
) -> None:
    """Say what models were asked for, and what that cost where a price is known, by day, agent and model.

    A price is that of the day of the call. FOLDLINE_PRICES names a file of your own prices.
    """
    with failures_shown(), gateway() as door:
        found = door.get("/costs", agent_id=agent, days=days, timezone=timezone)
        if as_json:
            print_json(found)
            return
        if not found["costs"]:
            console.print(f"No model was asked in the last {days} days.")
            return
        console.print(_table(found["costs"]))
        console.print(f"[dim]Days begin at midnight, {found['timezone']}.[/]", highlight=False)


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("day", "agent", "model", "calls", "input", "of it cached", "output", "cost"):
        table.add_column(heading, justify="left" if heading in ("day", "agent", "model") else "right")
    for row in rows:
        usage = row["usage"]
        figures = (row["calls"], usage["input"], usage["cached_input"], usage["output"])
        model = row["model"] or "asked by tools"
        cost = money(usage["cost_micros"], complete=not row["unpriced_tokens"])
        table.add_row(row["day"], row["agent_id"], model, *(f"{figure:,}" for figure in figures), cost)
    known = [row["usage"]["cost_micros"] for row in rows if row["usage"]["cost_micros"] is not None]
    complete = not any(row["unpriced_tokens"] for row in rows)
    table.add_row("in all", "", "", "", "", "", "", money(sum(known) if known else None, complete=complete))
    return table

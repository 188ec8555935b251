"""`foldline costs`: what model calls cost, by day."""

from collections.abc import Sequence
from typing import Annotated

import typer

from agent_contracts.api.usage import Cost, Costs
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.money import money
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def costs(
    agent: Annotated[str | None, typer.Argument(help="The agent (default: all agents).")] = None,
    days: Annotated[int, typer.Option(min=1, max=3660, help="Show this many days, including today.")] = 30,
    timezone: Annotated[str, typer.Option(help="The timezone of the days, such as Europe/Oslo.")] = "UTC",
    as_json: JsonOption = False,
) -> None:
    """Show usage and cost of models per day, agent and model.

    Each call has the price of its day. To use your own prices, name a file in FOLDLINE_PRICES.
    """
    with failures_shown(), gateway() as door:
        whose = None if agent is None else agent_id(door, agent)
        found = door.read("/costs", Costs, agent_id=whose, days=days, timezone=timezone)
        if as_json:
            print_json(found)
            return
        columns = ("day", "agent", "model", "#calls", "#input", "#of it cached", "#output", "#cost")
        listed(found.items, columns, _row, none=f"No model was asked in the last {days} days.", as_json=False)
        if found.items:
            console.print(f"In all: {_sum(found.items)}", highlight=False)
            console.print(f"Days begin at midnight, {found.timezone}.", style="dim", highlight=False)


def _row(row: Cost) -> tuple[str, ...]:
    usage = row.usage
    figures = (row.calls, usage.input, usage.cached_input, usage.output)
    cost = money(usage.cost_micros, complete=not row.unpriced_tokens)
    model = row.model or "asked by tools"
    return (str(row.day), row.agent_id, model, *(f"{figure:,}" for figure in figures), cost)


def _sum(rows: Sequence[Cost]) -> str:
    known = [row.usage.cost_micros for row in rows if row.usage.cost_micros is not None]
    complete = not any(row.unpriced_tokens for row in rows)
    return money(sum(known) if known else None, complete=complete)

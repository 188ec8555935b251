"""`foldline usage`: what agents have used of their quotas."""

from typing import Annotated

import msgspec
import typer

from agent_contracts.api.agents import Agent
from agent_contracts.api.settings import Settings
from agent_contracts.api.usage import (
    AgentUsage,
    DatabaseUsage,
    KeptUsage,
    LogUsage,
    SpacePart,
    Spending,
    UsageTotal,
)
from agent_contracts.api.wire import Page
from agent_contracts.json_value import Json
from agent_domain.budgets.caps import CAPS
from agent_platform.log.quotas.daily import shown
from foldline.cli.client import gateway
from foldline.cli.money import money
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def usage(
    agent: Annotated[str | None, typer.Argument(help="The agent (default: all agents).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show agents' usage and quotas: log today, databases, storage, what takes space, and money spent."""
    with failures_shown(), gateway() as door:
        names = (
            [agent_id(door, agent)] if agent else [one.id for one in door.read("/agents", Page[Agent]).items]
        )
        found = [door.read(f"/agents/{name}/usage", AgentUsage) for name in names]
        space = {name: door.read(f"/agents/{name}/space", Page[SpacePart]).items for name in names}
        spending = {name: door.read("/spending", Spending, agent_id=name) for name in names}
        of_all = _caps(door.read("/settings", Settings))
        caps = {name: of_all | _caps(door.read(f"/agents/{name}/settings", Settings)) for name in names}
        if as_json:
            print_json(
                [
                    {
                        **msgspec.to_builtins(one),
                        "spending": spending[one.agent_id],
                        "space": space[one.agent_id],
                    }
                    for one in found
                ]
            )
            return
        for one in found:
            console.print(f"[bold]{one.agent_id}[/]", highlight=False)
            console.print(f"  log today: {_of(one.log)}, until {one.log.begins_anew_at}", highlight=False)
            console.print(f"  database:  {_of(one.database)}", highlight=False)
            console.print(f"  keeps:     {_of(one.kept)}{_parts(one.kept)}", highlight=False)
            for part in space[one.agent_id]:
                console.print(f"  in the log: {_space(part)}", highlight=False)
            mine, spent = caps[one.agent_id], spending[one.agent_id]
            assert spent.agent is not None
            for title, by, prefix in (
                ("models today", spent.agent.today, "agent_daily"),
                ("models in all", spent.agent.total, "agent"),
                ("models today, all agents", spent.all.today, "daily"),
                ("models in all, all agents", spent.all.total, "total"),
            ):
                console.print(f"  {title}: {_spent(by, prefix, mine)}", highlight=False)


def _parts(kept: KeptUsage) -> str:
    said = [f"{one.part} {shown(one.bytes)}" for one in kept.parts]
    return f" ({', '.join(said)})" if said else ""


def _space(part: SpacePart) -> str:
    sessions = f", {part.sessions:,} sessions" if part.sessions else ""
    goes = f". What removes it: {part.goes}" if part.goes else ""
    return f"{part.part.replace('_', ' ')} about {shown(part.bytes)}{sessions}, {part.events:,} events{goes}"


def _of(one: LogUsage | DatabaseUsage | KeptUsage) -> str:
    used, limit = one.used, one.limit
    said = "not known: no tool runner answers" if used is None else shown(used)
    if limit is None:
        return said
    return f"{said} of {shown(limit)}" if limit else f"{said}, no limit"


def _caps(settings: Settings) -> dict[str, Json]:
    return {one.name: one.value for one in settings.items if one.name in CAPS}


def _spent(spent: UsageTotal, prefix: str, caps: dict[str, Json]) -> str:
    tokens, cost = caps.get(f"{prefix}_token_limit"), caps.get(f"{prefix}_cost_limit")
    said = f"{spent.tokens:,}{f' of {tokens:,}' if isinstance(tokens, int) else ''} tokens"
    said += f", {money(spent.cost_micros, complete=not spent.unpriced)}"
    return f"{said} of ${cost:,g}" if isinstance(cost, int | float) else said

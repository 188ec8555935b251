"""What may be spent on models at most: by a session, an agent, all agents; in a day, and in all."""

from typing import Annotated, Literal

import msgspec
from pydantic import Field

from agent_platform.settings.settings import BaseSettings
from agent_platform.settings.sources import AllowedValues

MICROS = 1_000_000
"""Millionths of a US dollar in a dollar."""
Unit = Literal["tokens", "micros"]
Scope = Literal["session", "agent", "agent_daily", "daily", "total"]

_TOKENS = AllowedValues("tokens, 1 to 1000000000000000, or nothing for no cap")
_COST = AllowedValues("US dollars, 0.000001 to 1000000000, or nothing for no cap")
OptionalCalls = Annotated[
    int | None, Field(ge=1, le=10**6), AllowedValues("a whole number, 1 to 1000000, or nothing for no bound")
]
OptionalTokens = Annotated[int | None, Field(ge=1, le=10**15), _TOKENS]
OptionalCost = Annotated[float | None, Field(ge=0.000001, le=10**9, allow_inf_nan=False), _COST]


class Cap(msgspec.Struct, frozen=True):
    """One of them: the setting that says it, what it bounds, and how much it is."""

    setting: str
    scope: Scope
    unit: Unit
    most: int


class BudgetSettings(BaseSettings):
    """What models may be asked for. Input and output count; days are UTC's."""

    session_cost_limit: OptionalCost = Field(default=None, description="US dollars that a session may cost")
    agent_daily_token_limit: OptionalTokens = Field(
        default=None, description="model tokens that an agent may use in a day"
    )
    agent_daily_cost_limit: OptionalCost = Field(
        default=None, description="US dollars that an agent may cost in a day"
    )
    agent_token_limit: OptionalTokens = Field(
        default=None, description="model tokens that an agent may use in all"
    )
    agent_cost_limit: OptionalCost = Field(
        default=None, description="US dollars that an agent may cost in all"
    )
    daily_token_limit: OptionalTokens = Field(
        default=None, description="model tokens that all agents may use in a day"
    )
    daily_cost_limit: OptionalCost = Field(
        default=None, description="US dollars that all agents may cost in a day"
    )
    total_token_limit: OptionalTokens = Field(
        default=None, description="model tokens that all agents may use in all"
    )
    total_cost_limit: OptionalCost = Field(
        default=None, description="US dollars that all agents may cost in all"
    )

    external_calls_limit: OptionalCalls = Field(
        default=600, description="tool calls that act outside which an agent may make in a minute"
    )

    def caps(self) -> tuple[Cap, ...]:
        """Those that are set."""
        found = []
        for setting, (scope, unit) in CAPS.items():
            value = getattr(self, setting)
            if value is not None:
                found.append(Cap(setting, scope, unit, round(value * MICROS) if unit == "micros" else value))
        return tuple(found)


CAPS: dict[str, tuple[Scope, Unit]] = {
    "session_cost_limit": ("session", "micros"),
    "agent_daily_token_limit": ("agent_daily", "tokens"),
    "agent_daily_cost_limit": ("agent_daily", "micros"),
    "agent_token_limit": ("agent", "tokens"),
    "agent_cost_limit": ("agent", "micros"),
    "daily_token_limit": ("daily", "tokens"),
    "daily_cost_limit": ("daily", "micros"),
    "total_token_limit": ("total", "tokens"),
    "total_cost_limit": ("total", "micros"),
}
"""What each setting bounds. A session's tokens have a limit of their own, in its first event."""
OF_ALL_AGENTS = frozenset(name for name, (scope, _) in CAPS.items() if scope in ("daily", "total"))

"""Calls whose outcome is unknown, as people look at them."""

from typing import Any

from gateway.queries.view import View


class Outcome(View):
    """A call that may or may not have done its work. `happened`: what a person found out; null: not yet."""

    session_id: str
    agent_id: str
    title: str | None
    call_id: str
    tool: str
    arguments: dict[str, Any]
    error: str | None
    ended_at: str | None
    happened: bool | None
    settled_at: str | None


class Outcomes(View):
    """Newest first."""

    outcomes: list[Outcome]

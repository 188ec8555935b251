"""Replays."""

from typing import Any

from agent_contracts.api.wire import View


class ReplayDifference(View, frozen=True, kw_only=True):
    """The first decision that today's engine makes differently."""

    address: str
    recorded: dict[str, Any] | None = None
    decided: dict[str, Any] | None = None
    problem: str | None = None
    """The events can't be folded at all."""


class ReplayReport(View, frozen=True, kw_only=True):
    """What strict replay found."""

    session_id: str
    events: int
    decisions: int
    difference: ReplayDifference | None = None

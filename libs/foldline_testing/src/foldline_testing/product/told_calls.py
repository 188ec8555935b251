"""Calls that a scripted model makes when it is told or reads a certain text, as data files list them."""

from collections.abc import Sequence
from typing import Any

Step = dict[str, Any] | list[dict[str, Any]]
"""The calls of one answer: `{tool: arguments}`, or several of those."""


def turns_of(steps: Sequence[Step], end: str = "Done.") -> list[dict[str, Any]]:
    """An answer for each step, and one that ends the turn."""
    return [*(_reply(step) for step in steps), {"text": end}]


def _reply(step: Step) -> dict[str, Any]:
    calls = step if isinstance(step, list) else [step]
    return {
        "tool_calls": [{"name": name, "arguments": given} for one in calls for name, given in one.items()]
    }

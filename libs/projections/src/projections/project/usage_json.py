"""What was spent, as it lies in columns of several tables."""

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Usage
from projections.json_text import json_text
from projections.table import JsonText


def usage_json(usage: Usage) -> dict[str, Json]:
    """All fields, those at their default too."""
    return {
        "input": usage.input,
        "output": usage.output,
        "cached_input": usage.cached_input,
        "cache_written": usage.cache_written,
        "counted": usage.counted,
        "cost_micros": usage.cost_micros,
    }


def usage_text(usage: Usage | None) -> JsonText | None:
    """The same as text; None for nothing."""
    return None if usage is None else json_text(usage_json(usage))

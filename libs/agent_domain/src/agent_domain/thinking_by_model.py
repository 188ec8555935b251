"""The text that says how much which model thinks: `openai/o3*=high, anthropic/*=8192`. Pure."""

from typing import get_args

from agent_contracts.thinking_choice import LEAST_BUDGET, MOST_BUDGET, Effort, ThinkingChoice
from agent_domain.model_entries import pairs_in

LONGEST_THINKING = 2_000
"""Characters of the whole text."""
EFFORTS: tuple[Effort, ...] = get_args(Effort)
_SHOWN = 60


def thinking_by_model(text: str) -> tuple[tuple[str, ThinkingChoice], ...]:
    """Each pattern of models' names with what it says, in order. Only for a text without a flaw."""
    return tuple((pattern, _choice(value)) for pattern, value in pairs_in(text))


def thinking_flaw(text: str) -> str | None:
    """Why this text says nothing, as a clause without a full stop; None if it does."""
    for pattern, value in pairs_in(text):
        if not pattern or not value:
            given = pattern or value
            return f"{given[:_SHOWN]!r} is not a model and an effort, such as openai/o3*=high"
        if value not in EFFORTS and not _is_budget(value):
            return (
                f"{value[:_SHOWN]!r} is not an effort ({', '.join(EFFORTS)}) and not a number of tokens "
                f"from {LEAST_BUDGET:,} to {MOST_BUDGET:,}"
            )
    return None


def _is_budget(value: str) -> bool:
    digits = len(str(MOST_BUDGET))
    is_number = value.isascii() and value.isdecimal() and len(value) <= digits
    return is_number and LEAST_BUDGET <= int(value) <= MOST_BUDGET


def _choice(value: str) -> ThinkingChoice:
    effort = next((one for one in EFFORTS if one == value), None)
    return ThinkingChoice(effort) if effort is not None else ThinkingChoice(budget=int(value))

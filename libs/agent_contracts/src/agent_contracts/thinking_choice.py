"""How much a model is to think before it answers."""

from typing import Literal, get_args

import msgspec

from agent_contracts.errors import Rejected

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
"""As OpenAI's `reasoning_effort` names it."""
LEAST_BUDGET = 1_024
"""Tokens; Anthropic takes no smaller budget."""
MOST_BUDGET = 1_000_000


class ThinkingChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """How hard a model thinks before it answers."""

    effort: Effort | None = None
    """The effort; null: the model's default."""
    budget: int | None = None
    """Tokens that the thinking may take; null: the model's default."""

    def check(self) -> None:
        """`Rejected` for what no model is asked."""
        if self.effort is not None and self.effort not in get_args(Effort):
            raise Rejected(f"An effort is one of {', '.join(get_args(Effort))}", kind="invalid_request")
        if self.budget is not None and not LEAST_BUDGET <= self.budget <= MOST_BUDGET:
            raise Rejected(
                f"A budget of thinking is {LEAST_BUDGET:,} to {MOST_BUDGET:,} tokens", kind="invalid_request"
            )


def thinking_choice(effort: Effort | None, budget: int | None) -> ThinkingChoice | None:
    """The choice of these two, checked; None if both are left to the settings. `Rejected` for what no model
    is asked."""
    if effort is None and budget is None:
        return None
    choice = ThinkingChoice(effort, budget)
    choice.check()
    return choice

"""How much a model is to think, as the option that its interface has for it. Pure."""

from collections.abc import Sequence

from agent_contracts.json_value import Json
from agent_contracts.thinking_choice import LEAST_BUDGET, Effort, ThinkingChoice
from agent_domain.thinking_by_model import thinking_by_model
from model_caller.choosing.named_models import named_in
from model_caller.choosing.target import ModelTarget
from model_caller.providers.interface import ThinkingBy
from model_caller.settings import ModelCallerSettings

_BUDGETS: dict[Effort, int] = {
    "minimal": LEAST_BUDGET,
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 24_576,
}
"""Tokens, for an interface that has budgets alone."""


def chosen(
    settings: ModelCallerSettings, of_chat: ThinkingChoice | None, target: ModelTarget
) -> ThinkingChoice:
    """What counts: the chat's own choice, else what the settings say of this model, else of all models."""
    mine = of_chat or ThinkingChoice()
    if mine.effort is not None or mine.budget is not None:
        return mine
    for pattern, choice in thinking_by_model(settings.model_thinking) if settings.model_thinking else ():
        if named_in(pattern, target) is not None:
            return choice
    return ThinkingChoice(settings.thinking_effort, settings.thinking_budget)


def thinking_options(choice: ThinkingChoice, ways: Sequence[ThinkingBy]) -> dict[str, Json]:
    """The options of a request, by the ways that its interface has; none where nothing is chosen."""
    effort = choice.effort
    budget = choice.budget or (_BUDGETS.get(effort) if effort is not None else None)
    options: dict[ThinkingBy, dict[str, Json]] = {
        "effort": {"reasoning_effort": effort} if effort is not None else {},
        "budget": {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget else {},
    }
    return next((options[way] for way in ways if options[way]), {})

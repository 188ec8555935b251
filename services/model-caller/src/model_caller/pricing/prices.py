"""What a call costs, by what its model's tokens cost: as the user says, or as the list of models has it."""

from collections.abc import Mapping

import msgspec

from agent_contracts.session_events.results import Usage
from agent_domain.prices import Price
from model_caller.choosing.target import ModelTarget
from model_caller.pricing.listed_models import ListedModel, listed_model


class Prices:
    """Prices by model string; `own` are the user's, and come first."""

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = own or {}

    def priced(self, usage: Usage, target: ModelTarget) -> Usage:
        """The usage with what it cost; as it is where nobody knows. The first one may take 30 ms."""
        price = self.of(target)
        return usage if price is None else msgspec.structs.replace(usage, cost_micros=price.of(usage))

    def of(self, target: ModelTarget) -> Price | None:
        """What a target's tokens cost; None where nobody knows."""
        known = self._own.get(target.model) or self._own.get(target.for_litellm)
        if known is not None:
            return known
        if target.base_url is not None:
            return None  # somebody's own server: what its models are called says nothing of their price
        return _listed_price(listed_model(target.for_litellm))


def _listed_price(entry: ListedModel | None) -> Price | None:
    if entry is None or entry.input is None or entry.output is None:
        return None
    return Price(entry.input, entry.output, entry.cached, entry.written)

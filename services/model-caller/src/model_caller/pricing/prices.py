"""What a call costs, by what its model's tokens cost: as the user says, or as litellm's list has it."""

from collections.abc import Mapping

import msgspec

from agent_contracts.session_events.results import Usage
from agent_domain.prices import Price
from model_caller.choosing.target import Target
from model_caller.providers.listed import Listed, listed

_MILLION = 1_000_000


class Prices:
    """Prices by model string; `own` are the user's, and come first."""

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = own or {}

    def priced(self, usage: Usage, target: Target) -> Usage:
        """The usage with what it cost; as it is where nobody knows. The first one may take 30 ms."""
        price = self.of(target)
        return usage if price is None else msgspec.structs.replace(usage, cost_micros=price.of(usage))

    def of(self, target: Target) -> Price | None:
        """What a target's tokens cost; None where nobody knows."""
        known = self._own.get(target.model) or self._own.get(target.for_litellm)
        if known is not None:
            return known
        if target.base_url is not None:
            return None  # somebody's own server: what its models are called says nothing of their price
        return _listed_price(listed(target.for_litellm))


def _listed_price(entry: Listed | None) -> Price | None:
    if entry is None or entry.input_cost_per_token is None or entry.output_cost_per_token is None:
        return None

    def of_a_million(cost: float | None) -> float | None:
        return None if cost is None else cost * _MILLION

    return Price(
        entry.input_cost_per_token * _MILLION,
        entry.output_cost_per_token * _MILLION,
        of_a_million(entry.cache_read_input_token_cost),
        of_a_million(entry.cache_creation_input_token_cost),
    )

"""What a call costs, by what its model's tokens cost: as the user says, or as litellm's list has it."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.session_events.results import Usage
from model_caller.choosing.target import Target
from model_caller.providers.listed import Listed, listed

_MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens. Input that was cached, or is, costs as other input where not said."""

    input: float
    output: float
    cached_input: float | None = None
    cache_written: float | None = None

    def of(self, usage: Usage) -> int:
        """Millionths of a dollar; a token costs as many as a million tokens cost dollars."""
        others = max(0, usage.input - usage.cached_input - usage.cache_written)
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_written is None else self.cache_written
        return round(
            others * self.input
            + usage.cached_input * cached
            + usage.cache_written * written
            + usage.output * self.output
        )


class Prices:
    """Prices by model string; `own` are the user's, and come first."""

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = own or {}

    def priced(self, usage: Usage, target: Target) -> Usage:
        """The usage with what it cost; as it is where nobody knows. The first one may take 30 ms."""
        price = self._of(target)
        return usage if price is None else msgspec.structs.replace(usage, cost_micros=price.of(usage))

    def _of(self, target: Target) -> Price | None:
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


def read_prices(path: Path | None) -> Prices:
    """The user's own: a JSON file of prices by model string. `Rejected` for one that can't be used."""
    if path is None:
        return Prices()
    try:
        own = msgspec.json.decode(path.read_bytes(), type=dict[str, Price])
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        raise Rejected(
            f"the prices in {path} (FOLDLINE_PRICES) can't be read: {error}. It holds, for each model "
            'string, US dollars for a million tokens: {"openai/my-model": {"input": 1, "output": 4}}',
            kind="bad_prices",
        ) from error
    wrong = [name for name, price in own.items() if min(v for v in _figures(price) if v is not None) < 0]
    if wrong:
        raise Rejected(
            f"the prices in {path} (FOLDLINE_PRICES) are below 0 for {wrong[0]}", kind="bad_prices"
        )
    return Prices(own)


def _figures(price: Price) -> tuple[float | None, ...]:
    return price.input, price.output, price.cached_input, price.cache_written

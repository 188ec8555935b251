"""What a model's tokens cost, as a person says."""

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from agent_contracts.session_events.results import Usage

Dollars = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Price:
    """US dollars for a million tokens. Input that was cached, or is, costs as other input where not said."""

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None
    cache_written: Dollars | None = None

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

"""What every answer that can be read is made of."""

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Read-only data."""

    model_config = ConfigDict(frozen=True)


class Usage(View):
    """Tokens, as the provider reported them, and what is known of their cost in millionths of a US dollar.

    `cached_input` is the part of `input` that the provider had from before, at a lower price."""

    input: int
    output: int
    cached_input: int = 0
    cost_micros: int | None = None

"""What every answer that can be read is made of."""

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Read-only data."""

    model_config = ConfigDict(frozen=True)


class Usage(View):
    """Tokens, as the provider reported them."""

    input: int
    output: int
    cached_input: int = 0

"""What a state key may be."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_contracts.entities.state_keys import LONGEST_KEY, flaw_in_key


def _printable(key: str) -> str:
    flaw = flaw_in_key(key)
    if flaw is not None:
        raise ValueError(flaw)
    return key


StateKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_KEY,
        description="The key.",
    ),
    AfterValidator(_printable),
]

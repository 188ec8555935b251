"""What a state key may be."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

_REFUSED = {"Cc": "a control character", "Cs": "a lone surrogate"}


def _printable(key: str) -> str:
    for position, character in enumerate(key):
        refused = _REFUSED.get(unicodedata.category(character))
        if refused:
            code = f"U+{ord(character):04X}"
            raise ValueError(f"{refused} ({code}) at position {position} can't be part of a key")
    return key


StateKey = Annotated[
    str,
    Field(min_length=1, max_length=256, description="The key: 1 to 256 characters, no control characters."),
    AfterValidator(_printable),
]

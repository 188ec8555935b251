"""What an agent's state may hold: the same for the agent and for people."""

import unicodedata

LONGEST_KEY = 256
"""Characters."""

LARGEST_VALUE = 1024 * 1024
"""Bytes of JSON (UTF-8, no white space)."""

_REFUSED = {"Cc": "a control character", "Cs": "a lone surrogate"}


def flaw_in_key(key: str) -> str | None:
    """Why a text can't be a key; None for 1 to 256 characters, none of them a control character."""
    if not 1 <= len(key) <= LONGEST_KEY:
        return f"a key has 1 to {LONGEST_KEY} characters"
    for position, character in enumerate(key):
        refused = _REFUSED.get(unicodedata.category(character))
        if refused:
            return f"{refused} (U+{ord(character):04X}) at position {position} can't be part of a key"
    return None

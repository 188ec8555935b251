"""How deep JSON may be nested in an event. Parsers recurse, each with a limit of its own: this one is below
all of them, so that what one part can read, every part can."""

import re

DEEPEST = 200
"""Levels of arrays and objects within each other."""

_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def is_too_deep(data: bytes) -> bool:
    """Whether a text of JSON is nested deeper than `DEEPEST`. What isn't JSON may be judged either way."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return False
    depth = 0
    for token in _STRUCTURE.finditer(data):
        found = data[token.start()]
        if found in b"[{":
            depth += 1
            if depth > DEEPEST:
                return True
        elif found in b"]}":
            depth -= 1
    return False

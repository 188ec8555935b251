"""Where in a value it doesn't fit its type, out of msgspec's message."""

import msgspec


def located(error: msgspec.ValidationError) -> tuple[str, str | None]:
    """What is wrong, and where as a JSON Pointer; None where it is the value as a whole."""
    message, _, where = str(error).partition(" - at `$")
    path = where.rstrip("`").replace(".", "/").replace("[", "/").replace("]", "")
    return message, path or None

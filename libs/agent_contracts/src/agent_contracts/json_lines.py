"""JSON in one line for every reader of lines.

U+2028, U+2029 and U+0085 may stand in JSON as they are, but Python's `splitlines`, HTTP clients' `iter_lines`
and Node's `readline` end a line there. So JSON for others has them as `\\u2028`. Everything that leaves as
lines, events or bodies of JSON passes here.
"""

_ESCAPED = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}
_TABLE = str.maketrans(_ESCAPED)
_BYTES = tuple((char.encode(), escape.encode()) for char, escape in _ESCAPED.items())
_BEGINNINGS = tuple({char[:length] for char, _ in _BYTES for length in range(1, len(char))})


def one_line(encoded: bytes) -> bytes:
    """The same JSON, in UTF-8, with what ends a line for some readers escaped."""
    for char, escape in _BYTES:
        if char in encoded:
            encoded = encoded.replace(char, escape)
    return encoded


def one_line_text(encoded: str) -> str:
    """The same of JSON as text."""
    return encoded.translate(_TABLE)


class OneLinePieces:
    """The same of JSON that comes in pieces, which may end within a character."""

    def __init__(self) -> None:
        self._held = b""

    def take(self, piece: bytes, *, is_last: bool) -> bytes:
        """What of it can be sent now."""
        whole = self._held + piece
        held = 0 if is_last else max((len(one) for one in _BEGINNINGS if whole.endswith(one)), default=0)
        self._held = whole[len(whole) - held :]
        return one_line(whole[: len(whole) - held])

"""The XML of a sheet without what only has a format: a million such rows take long to parse."""

import io
import re
from typing import IO

_CHUNK = 1 << 20
_EMPTY_ROWS = re.compile(
    rb"""(?: <(?:[a-z]+:)?row\ r="[0-9]++"[^<>]*+>
         (?: (?<=/>)
           | \s*+ (?: <(?:[a-z]+:)?c\ r="[A-Z0-9]++"[^<>]*+ (?: (?<=/)> | ></(?:[a-z]+:)?c> ) \s*+ )*+
             </(?:[a-z]+:)?row> ) \s*+ )++""",
    re.VERBOSE,
)
"""As all programs write them: with their place first."""
_VERBATIM = re.compile(rb"<!\[CDATA\[|<!--")
_LONGEST_ROW = 64 << 20


class DenseRows:
    """A stream of the same rows, but for empty ones that say where they are, so that none moves."""

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self._rest = b""
        self._ready = io.BytesIO()
        self._as_it_is = False
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """Some bytes; none at the end."""
        given = self._ready.read(size)
        while not given and not self._ended:
            self._ready = io.BytesIO(self._filled())
            given = self._ready.read(size)
        return given

    def _filled(self) -> bytes:
        data = self._part.read(_CHUNK)
        self._ended = not data
        whole = self._rest + data
        self._as_it_is = self._as_it_is or _VERBATIM.search(whole) is not None
        if self._as_it_is or self._ended or len(whole) > _LONGEST_ROW:
            cut = len(whole)
        else:
            cut = max(0, whole.rfind(b"<", 0, max(0, whole.rfind(b"row ")) + 1))
        self._rest = whole[cut:]
        ready = whole[:cut]
        return ready if self._as_it_is else _EMPTY_ROWS.sub(b"", ready)

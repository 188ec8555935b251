"""Values of secrets taken out of whatever holds them, in the spellings that programs write texts in. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import AnyStr

from agent_contracts.entities.secrets import placeholder
from agent_contracts.json_value import Json
from agent_platform.secrecy.spellings import spellings_of

CUT = " […]"
"""What the sandbox writes where it cut a text."""
_TELLING = 4
"""Of a value that a cut went through, how many characters have to be left to count as its beginning."""


class Redaction:
    """Knows some secrets' values, and puts each one's placeholder in the value's place: as it is,
    percent-encoded, in JSON (twice, too), HTML, hexadecimal, and in base64 and base64url, wherever in the
    encoded text it stands. A value that was changed in any other way is not recognised."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """`values` by the secrets' names."""
        pairs = (
            (spelling, placeholder(name))
            for name, value in values.items()
            for spelling in spellings_of(value)
        )
        self._texts = sorted(pairs, key=lambda pair: -len(pair[0]))
        self._bytes = [
            (coded, instead.encode(encoding))
            for spelling, instead in self._texts
            for coded, encoding in _bytes_of(spelling)
        ]

    def text(self, text: str) -> str:
        """The text without the values."""
        for spelling, instead in self._texts:
            text = text.replace(spelling, instead)
        return text

    def excerpt(self, text: str) -> str:
        """As `text`, for one that may have been cut through a value, before a `CUT`."""
        if not self._texts:
            return text
        *cut, last = self.text(text).split(CUT)
        return CUT.join([*(part[: len(part) - self._begun(part)] for part in cut), last])

    def json(self, value: Json) -> Json:
        """The JSON value without them in its strings, names and numbers. Recurses as deep as the value."""
        if not self._texts:
            return value
        match value:
            case str():
                return self.text(value)
            case list() | tuple():
                return [self.json(item) for item in value]
            case dict():
                return {self.text(name): self.json(item) for name, item in value.items()}
            case int() | float() if self.text(str(value)) != str(value):
                return self.text(str(value))
            case _:
                return value

    def body(self, body: bytes, *, truncated: bool = False) -> bytes:
        """Bytes without them, in UTF-8, UTF-16 or Latin-1; of truncated ones, without a value's beginning at
        their end."""
        wide = b"\0" in body
        for spelling, instead in self._bytes:
            if wide or b"\0" not in spelling:
                body = body.replace(spelling, instead)
        if truncated and self._bytes:
            body = body[: len(body) - max(_beginning(body, spelling) for spelling, _ in self._bytes)]
        return body

    def stream(self) -> "RedactedStream":
        """For a body that comes in pieces."""
        return RedactedStream(self, [spelling for spelling, _ in self._bytes])

    def header(self, value: str) -> str:
        """A header's value, each character a byte, without them."""
        return self.body(value.encode("latin-1", "replace")).decode("latin-1")

    def finds(self, *texts: str | bytes) -> bool:
        """Whether one of these holds a value."""
        found = (
            text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape") for text in texts
        )
        return any(spelling in text for text in found for spelling, _ in self._bytes)

    def _begun(self, text: str) -> int:
        begun = max(_beginning(text, spelling) for spelling, _ in self._texts)
        return begun if begun >= _TELLING else 0


class RedactedStream:
    """Takes the values out of a body piece by piece, wherever it is cut."""

    def __init__(self, redaction: Redaction, spellings: Sequence[bytes]) -> None:
        self._redaction = redaction
        self._spellings = spellings
        self._kept = max(map(len, spellings), default=1) - 1
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """What is sure by now to hold no value."""
        held = self._held + piece
        cut = self._cut(held, len(held) - self._kept)
        self._held = held[cut:]
        return self._redaction.body(held[:cut])

    def end(self, *, truncated: bool) -> bytes:
        """The rest; see `Redaction.body`."""
        return self._redaction.body(self._held, truncated=truncated)

    def _cut(self, held: bytes, cut: int) -> int:
        """The last place up to this one that is in no value; of one that begins before, all has come."""
        while cut > 0:
            begun = [
                start
                for spelling in self._spellings
                if (start := held.find(spelling, max(0, cut - len(spelling) + 1), cut + len(spelling) - 1))
                >= 0
            ]
            first = min(begun, default=cut)
            if first >= cut:
                return cut
            cut = first
        return 0


def _beginning(text: AnyStr, spelling: AnyStr) -> int:
    """How many characters at the end of a cut text are the beginning of a spelling."""
    start = max(0, len(text) - len(spelling) + 1)
    while (start := text.find(spelling[:1], start)) >= 0:
        if spelling.startswith(text[start:]):
            return len(text) - start
        start += 1
    return 0


def _bytes_of(spelling: str) -> Iterable[tuple[bytes, str]]:
    yield spelling.encode(), "utf-8"
    yield spelling.encode("utf-16-le"), "utf-16-le"
    yield spelling.encode("utf-16-be"), "utf-16-be"
    if not spelling.isascii():
        try:
            yield spelling.encode("latin-1"), "latin-1"
        except UnicodeEncodeError:
            return

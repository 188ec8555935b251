"""An address that is looked for, whole, in what others wrote. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache

_CONTINUES = r"[A-Za-z0-9_~%/?&=+@:;,.!$*'()\[\]-]"
_CLOSING = re.compile(r"[.,:;!?)\]'*_]*(?:#|(?!" + _CONTINUES + r"))")
"""What may follow where a URL ends: marks of the sentence, a fragment (it isn't sent), no more of a URL."""
_GOES_ON = re.compile(r"[.,:;!?)\]'*_]*+(?:#|" + _CONTINUES + ")")
"""Where the whole of a URI counts, its fragment too."""
_BEFORE_SCHEME = re.compile("[A-Za-z0-9]")
_WITHIN_SCHEME = re.compile("[A-Za-z0-9+.-]")
_BEFORE_HOST = re.compile("[A-Za-z0-9@./_-]")


class SoughtUri:
    """One that is told somebody as it is: every character of it counts."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def is_in(self, text: str, *, bare: bool) -> bool:
        """Whether the text has it. Without its scheme, `bare`, it is another."""
        at = text.find(self._uri)
        while at >= 0:
            end = at + len(self._uri)
            begins = at == 0 or _WITHIN_SCHEME.match(text[at - 1]) is None
            if begins and _GOES_ON.match(text, end) is None:
                return True
            at = text.find(self._uri, at + 1)
        return False


class SoughtUrl:
    """How it may stand in a text: its host in any case, `&` as HTML writes it, with any fragment.

    Each URL is looked for once or twice, so nothing is compiled for it.
    """

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.strip().partition("#")[0].partition("://")
        host = re.split("[/?]", rest, maxsplit=1)[0]
        self._scheme = f"{scheme}://".lower()
        self._host = host.lower()
        self._path, *self._more = rest[len(host) :].split("&")

    def is_in(self, text: str, *, bare: bool) -> bool:
        """Whether the text has it. `bare`: without its scheme counts, too."""
        for begin, end in self._places(text):
            if end is not None and _CLOSING.match(text, end) and self._begins(text, begin, bare=bare):
                return True
        return False

    def _begins(self, text: str, at: int, *, bare: bool) -> bool:
        scheme = at - len(self._scheme)
        if scheme >= 0 and text[scheme:at].lower() == self._scheme:
            return scheme == 0 or _BEFORE_SCHEME.match(text[scheme - 1]) is None
        return bare and (at == 0 or _BEFORE_HOST.match(text[at - 1]) is None)

    def _places(self, text: str) -> Iterator[tuple[int, int | None]]:
        """Where host and path begin and end."""
        if not self._host:
            return
        if self._path in ("", "/") and not self._more:
            for found in _host(self._host).finditer(text):
                yield found.start(), found.end() + text.startswith("/", found.end())
            return
        at = text.find(self._path)
        while at >= 0:
            begin = at - len(self._host)
            if begin >= 0 and text[begin:at].lower() == self._host:
                yield begin, self._end(text, at + len(self._path))
            at = text.find(self._path, at + 1)

    def _end(self, text: str, at: int) -> int | None:
        """Where the rest of its query ends that goes on here; None if it doesn't."""
        for piece in self._more:
            if not text.startswith("&", at):
                return None
            at += 1
            if text.startswith("amp;", at) and not piece.startswith("amp;"):
                at += 4
            if not text.startswith(piece, at):
                return None
            at += len(piece)
        return at


@lru_cache(maxsize=1024)
def _host(host: str) -> re.Pattern[str]:
    return re.compile(re.escape(host), re.IGNORECASE)

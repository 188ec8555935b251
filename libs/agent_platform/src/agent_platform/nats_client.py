"""nats-py's client with a faster reading of headers.

An event has fourteen headers, and nats-py 2.16 looks at each character of each name: two thirds of the CPU
time of reading the log (45 µs of 70 a message, on a 2-core machine). Names repeat, so here each is checked
once. What is overridden is private to nats-py; its version is pinned, and a test compares the two.
"""

import re

from nats.aio.client import Client

_NAME = re.compile(r"[!-9;-~]+")
_REMEMBERED = 1024

_names: dict[str, str] = {}


class FastHeadersClient(Client):
    """A drop-in `Client`."""

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:
        headers: dict[str, str] = {}
        for line in raw.decode("utf-8", "replace").split("\r\n"):
            name, colon, value = line.partition(":")
            if not colon:
                continue
            known = _names.get(name) or _checked(name)
            if known is not None:
                headers[known] = value.strip(" \t\r\n\v\f")
        return headers


def _checked(name: str) -> str | None:
    """The name without white space around it; None if it is no header name."""
    stripped = name.strip(" \t\r\n\v\f")
    if not _NAME.fullmatch(stripped):
        return None
    if len(_names) < _REMEMBERED:
        _names[name] = stripped
    return stripped

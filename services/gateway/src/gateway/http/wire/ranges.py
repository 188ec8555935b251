"""Which part of a content a request wants, and under which conditions: RFC 9110, sections 13 and 14."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ONE_RANGE = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", re.ASCII)
_TAG = re.compile(r'(?:W/)?"[^"]*"')


@dataclass(frozen=True)
class RangeAnswer:
    """What to answer: the bytes from `start` up to but without `end`, with `status` 200 or 206; or none of
    them, with 304 or 416."""

    status: int
    start: int
    end: int


def wanted(headers: Mapping[str, str], size: int, tag: str) -> RangeAnswer:
    """What a GET with these headers wants of a content of `size` bytes whose strong entity tag is `tag`.

    Several ranges at once, and what can't be understood, are passed over: then it is all of it.
    """
    nothing = RangeAnswer(304, 0, 0)
    if "if-none-match" in headers and names(headers["if-none-match"], tag, weak=True):
        return nothing
    whole = RangeAnswer(200, 0, size)
    asked = _ONE_RANGE.fullmatch(headers.get("range", "").lower())
    if asked is None or headers.get("if-range", tag).strip() != tag:
        return whole
    first, last = asked.groups()
    if first:
        start, end = int(first), min(int(last) + 1 if last else size, size)
        if last and int(last) < int(first):
            return whole
    elif last:
        start, end = max(0, size - int(last)), size
    else:
        return whole
    return RangeAnswer(206, start, end) if start < end else RangeAnswer(416, 0, 0)


def names(condition: str, tag: str, *, weak: bool = False) -> bool:
    """Whether a header such as `If-Match` names the tag, or `*`. `weak`: weak ones count too."""
    if condition.strip() == "*":
        return True
    found = _TAG.findall(condition)
    return tag in ([one.removeprefix("W/") for one in found] if weak else found)

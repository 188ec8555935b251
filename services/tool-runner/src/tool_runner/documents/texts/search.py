"""Which lines of a text have something in them."""

import re
import signal
import warnings
from collections.abc import Iterator

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.limits import TICK_S

_LONGEST_SHOWN = 300
_BEFORE = 100
_LINE_END = re.compile(r"\r\n|\n|\r")


class LineSearchOptions(msgspec.Struct, frozen=True):
    """What to look for in each line, and how many lines are enough."""

    query: str
    regex: bool
    ignore_case: bool
    most: int


class _TooLong(BaseException):
    """The time is up; nothing that a library catches."""


def compiled(options: LineSearchOptions) -> re.Pattern[str]:
    """The expression. `Rejected(kind="invalid_arguments")` for one that isn't."""
    flags = re.IGNORECASE if options.ignore_case else 0
    try:
        with warnings.catch_warnings(action="ignore"):
            return re.compile(options.query if options.regex else re.escape(options.query), flags)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"not a regular expression: {error}"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/query") from error


def search(inputs: Inputs, options: LineSearchOptions) -> JobOutput:
    """The number of each line, from 1, and what it says about there. `Rejected(kind="timeout")`."""
    [data] = inputs
    expression = compiled(options)
    signal.signal(signal.SIGVTALRM, _time_is_up)
    try:
        return JobOutput(list(_found(expression, data.decode(errors="replace"), options.most)))
    except _TooLong:
        message = f"the expression takes longer than {TICK_S} second"
        raise Rejected(message, kind=ErrorKind.TIMEOUT, path="/query") from None
    finally:
        signal.signal(signal.SIGVTALRM, signal.SIG_IGN)


def _found(expression: re.Pattern[str], text: str, most: int) -> Iterator[tuple[int, str]]:
    begin = number = 0
    while begin < len(text) and most:
        end = _LINE_END.search(text, begin)
        line = text[begin : end.start() if end else len(text)]
        number += 1
        found = expression.search(line)
        if found is not None:
            most -= 1
            yield number, _shown(line, found.start())
        begin = end.end() if end else len(text)


def _shown(line: str, at: int) -> str:
    """The line, or of a long one what stands around a place."""
    if len(line) <= _LONGEST_SHOWN:
        return line
    begin = max(0, min(at - _BEFORE, len(line) - _LONGEST_SHOWN))
    end = begin + _LONGEST_SHOWN
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"


def _time_is_up(signal_number: int, frame: object) -> None:
    raise _TooLong


JOBS = {"search": search}

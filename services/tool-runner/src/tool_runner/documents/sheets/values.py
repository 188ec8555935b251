"""Between what a cell holds and JSON. Pure.

Dates are ISO 8601. A text that would be written as something else (a formula) is read with a `'` before it,
and with one, any text is written as it is.
"""

import math
import re
from datetime import date, datetime, time, timedelta

import msgspec
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.sheets.options import Scalar

LONGEST_TEXT = 32_767
LONGEST_FORMULA = 8_192
_MOST_DIGITS = 10**15
_EXACT = 2**53
_DATE = re.compile(r"(?:19|20|21)\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?")
_TIME = re.compile(r"\d\d:\d\d:\d\d")


class CellInput(msgspec.Struct, frozen=True):
    """A value that a cell is to have, and the argument that says so."""

    value: Scalar
    path: str


def json_of(value: object) -> Json:
    """A cell's value."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if isinstance(value, datetime) and value.time() == time.min:
        return value.date().isoformat()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    text = str(value)
    return f"'{text}" if text.startswith(("=", "'")) else text


def put(cell: Cell, given: CellInput) -> None:
    """Give the cell a value; null empties it. Formats stay, but a date gets one.

    `Rejected(kind="invalid_arguments")` for what no cell can hold.
    """
    value, path = given.value, given.path
    if isinstance(value, str):
        _put_text(cell, value, path)
        return
    if isinstance(value, int) and abs(value) >= _MOST_DIGITS:
        raise _invalid(f"{value} has more than 15 digits, which a cell can't keep: write it as text", path)
    if isinstance(value, float) and not math.isfinite(value):
        raise _invalid("a cell holds finite numbers only", path)
    cell.value = value


def _put_text(cell: Cell, text: str, path: str) -> None:
    flaw = ILLEGAL_CHARACTERS_RE.search(text)
    if flaw:
        raise _invalid(f"a cell's text can't hold the character U+{ord(flaw.group()):04X}", path)
    formula = text.startswith("=") and len(text) > 1
    if len(text) > (LONGEST_FORMULA if formula else LONGEST_TEXT + 1):
        raise _invalid(
            f"a cell holds at most {LONGEST_TEXT} characters, or {LONGEST_FORMULA} of formula", path
        )
    moment = _moment(text)
    if moment is not None:
        cell.value = moment  # with a format for dates, if the cell has none
    elif formula:
        cell.value = text
    else:
        plain = text.removeprefix("'")
        cell.value = plain
        cell.data_type = "s"
        cell.quotePrefix = plain.startswith("=")


def _moment(text: str) -> datetime | date | time | None:
    try:
        if _DATE.fullmatch(text):
            return (
                date.fromisoformat(text) if len(text) == len("2026-01-31") else datetime.fromisoformat(text)
            )
        return time.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:  # no such day
        return None


def _invalid(why: str, path: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)

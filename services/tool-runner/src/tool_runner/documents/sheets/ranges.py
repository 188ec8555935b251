"""Cells by name: `B2`, `A1:D50`, `A:C`, `2:7`. Rows and columns count from 1. Pure."""

import re

import msgspec

from agent_contracts.errors import ErrorKind, Rejected

MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
"""Those of a sheet in any program."""

_END = r"\$?([A-Za-z]{1,3})?\$?([0-9]{1,9})?"
_RANGE = re.compile(f"{_END}(?::{_END})?")


class Range(msgspec.Struct, frozen=True):
    """A rectangle of cells, its ends included."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    @property
    def cells(self) -> int:
        """How many there are."""
        return (self.last_column - self.first_column + 1) * (self.last_row - self.first_row + 1)

    def within(self, other: "Range") -> "Range | None":
        """What both have."""
        both = Range(
            max(self.first_column, other.first_column),
            max(self.first_row, other.first_row),
            min(self.last_column, other.last_column),
            min(self.last_row, other.last_row),
        )
        empty = both.first_column > both.last_column or both.first_row > both.last_row
        return None if empty else both

    def __str__(self) -> str:
        first = f"{letters(self.first_column)}{self.first_row}"
        last = f"{letters(self.last_column)}{self.last_row}"
        return first if first == last else f"{first}:{last}"


def range_of(text: str, path: str = "/range") -> Range:
    """The range of this name. `Rejected(kind="invalid_arguments")` for what is none, or is outside of what a
    sheet can have; `path` is the argument that said so."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise _invalid(f"{text!r} is not a range: write A1, A1:D50, A:C or 2:7", path)
    first_letters, first_row, last_letters, last_row = found.groups()
    if ":" not in text:
        if first_letters is None or first_row is None:
            raise _invalid(f"{text!r} is not a cell: write A1", path)
        last_letters, last_row = first_letters, first_row
    if (first_letters is None) != (last_letters is None) or (first_row is None) != (last_row is None):
        raise _invalid(f"{text!r} is not a range: both ends must be cells, columns or rows", path)
    columns = sorted((column_of(first_letters or "A"), column_of(last_letters or "XFD")))
    rows = sorted((int(first_row or 1), int(last_row or MOST_ROWS)))
    if rows[0] < 1 or rows[1] > MOST_ROWS or columns[1] > MOST_COLUMNS:
        raise _invalid(f"{text} is outside of a sheet, which has cells from A1 to XFD{MOST_ROWS}", path)
    return Range(columns[0], rows[0], columns[1], rows[1])


def column_of(name: str) -> int:
    """The number of a column's letters."""
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def letters(column: int) -> str:
    """The letters of a column's number."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _invalid(why: str, path: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)

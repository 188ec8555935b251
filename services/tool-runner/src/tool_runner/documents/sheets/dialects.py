"""Tables of text (CSV, TSV): how their columns are told apart, judged over all rows. Pure."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from agent_contracts.errors import Rejected
from tool_runner.documents.sheets.options import TableOptions

_DELIMITERS = ";\t|,"
_LARGEST_FIELD = 10_000_000
_DECLARED = re.compile(r"\ufeff?sep=(.)[ \t]*(?:\r\n|\n|\r)", re.IGNORECASE)
"""The first line by which Excel is told a delimiter."""
_SINGLE_QUOTED = re.compile(r"(?:^|[,;\t|])'[^'\r\n]*'(?=[,;\t|]|\r|\n|$)", re.MULTILINE)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_NUMBER_STARTS = frozenset("-0123456789")
_MOST_IN_FULL = 1_000_000
"""Characters of a table for which dialects are tried on all rows; of longer ones, on lines from all of it."""
_FITS = 0.5
"""The part of the rows that must be as wide as most are."""
_FITS_WITH_TITLES = 0.8
"""The same where the first row is not."""
_LIKELY = 2
"""Delimiters for which all kinds of quotes are tried."""
_MOST_LINES = 100
"""Of one field."""
_NONE = "\x1f"
"""A delimiter that no table has."""


class Dialect(msgspec.Struct, frozen=True):
    """`delimiter` is None for one column, `quote` None where quotes mean nothing. `width` is how many columns
    most rows have; `unlike` counts the rows that have another number, the first of them is `first_unlike`.
    `source`: `arguments`, the file's own `sep=`, or its `rows`."""

    delimiter: str | None
    quote: str | None
    escape: str | None = None
    spaces: bool = False
    width: int = 1
    unlike: int = 0
    first_unlike: int | None = None
    source: str = "rows"


class DelimitedTable(msgspec.Struct, frozen=True):
    """A table of text; its values are texts, and numbers in columns where no text loses its form by that:
    those in `as_text` (from 0) keep theirs."""

    text: str
    dialect: Dialect
    as_text: frozenset[int]

    def rows(self) -> Iterator[list[str | int | float | None]]:
        """Its rows. `Rejected` for one that is none."""
        for row in _rows(self.text, self.dialect):
            yield [_value(text, keep=column in self.as_text) for column, text in enumerate(row)]


def table_of(text: str, options: TableOptions) -> DelimitedTable:
    """The table, in the dialect that is asked for, that it declares, or that most of its rows fit."""
    declared = _DECLARED.match(text)
    text = text[declared.end() :] if declared else text
    delimiter = options.delimiter or (declared.group(1) if declared else None)
    source = "arguments" if options.delimiter or options.quote else "sep=" if declared else "rows"
    best = _best(text if len(text) <= _MOST_IN_FULL else _spread(text), delimiter, options)
    return _counted(text, msgspec.structs.replace(best, source=source))


def number_in(text: str) -> float | None:
    """The number that a text is written as, None for one that is none."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _best(text: str, delimiter: str | None, options: TableOptions) -> Dialect:
    """First the delimiter, then what the quotes are."""
    delimiters: list[str | None] = (
        [delimiter] if delimiter else [*(one for one in _DELIMITERS if one in text), None]
    )
    quotes: list[str | None] = ['"', None] if '"' in text else ['"']
    if "'" in text and _SINGLE_QUOTED.search(text):
        quotes.append("'")
    if options.quote is not None:
        quotes = [None if options.quote == "none" else options.quote]
    escapes: list[str | None] = [None, "\\"] if '\\"' in text else [None]

    def fits(dialect: Dialect) -> tuple[float, int, int]:
        return _fit(text, dialect)

    usual = [Dialect(one, quotes[0], None, one is not None and f'{one} "' in text) for one in delimiters]
    likely = sorted(usual, key=fits, reverse=True)[:_LIKELY]
    every = itertools.product(likely, quotes, escapes)
    return max(
        (msgspec.structs.replace(one, quote=quote, escape=escape) for one, quote, escape in every), key=fits
    )


def _fit(text: str, dialect: Dialect) -> tuple[float, int, int]:
    """How well the rows fit: the larger, the better."""
    widths: Counter[int] = Counter()
    first = broken = 0
    try:
        for row in _rows(text, dialect):
            if row:
                first = first or len(row)
                widths[len(row)] += 1
                broken += _is_broken(row, dialect.quote)
    except Rejected:
        return -1.0, 0, 0
    if not widths:
        return 0.0, 0, 0
    width, count = max(widths.items(), key=lambda one: (one[1], one[0]))
    part, flawed = count / widths.total(), broken / widths.total()
    plain = int(dialect.quote == '"') + int(dialect.escape is None)
    if dialect.delimiter is None:
        return -flawed, plain, 0
    begins_so = first == width
    if width < 2 or part < _FITS or not (begins_so or (width > 2 and part >= _FITS_WITH_TITLES)):
        return -0.5, plain, 0
    return (
        part * (width - 1) / width * (1.0 if begins_so else 0.5) - flawed,
        plain,
        -_DELIMITERS.find(dialect.delimiter),
    )


def _is_broken(row: list[str], quote: str | None) -> bool:
    """Whether quotes or escapes are in the row that belong around its fields, or fields went on for long."""
    if quote is None:
        return any(len(one) > 1 and one[0] == one[-1] == '"' for one in row)
    whole = "\0".join(row)
    if "\\" in whole and any(one[-1:] == "\\" for one in row):
        return True
    return (quote == "'" and any(one[:1] == '"' for one in row)) or whole.count("\n") > _MOST_LINES


def _counted(text: str, dialect: Dialect) -> DelimitedTable:
    """The table, with what there is to say of its rows."""
    widths: Counter[int] = Counter()
    first: dict[int, int] = {}
    as_text: set[int] = set()
    for number, row in enumerate(_rows(text, dialect), 1):
        if row:
            widths[len(row)] += 1
            first.setdefault(len(row), number)
            as_text.update(column for column, one in enumerate(row) if _would_lose_its_form(one))
    if widths:
        width = max(widths.items(), key=lambda one: (one[1], one[0]))[0]
        dialect = msgspec.structs.replace(
            dialect,
            width=width,
            unlike=widths.total() - widths[width],
            first_unlike=min((place for has, place in first.items() if has != width), default=None),
        )
    return DelimitedTable(text, dialect, frozenset(as_text))


def _rows(text: str, dialect: Dialect) -> Iterator[list[str]]:
    csv.field_size_limit(_LARGEST_FIELD)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter or _NONE,
        quotechar=dialect.quote or '"',
        quoting=csv.QUOTE_NONE if dialect.quote is None else csv.QUOTE_MINIMAL,
        escapechar=dialect.escape,
        doublequote=dialect.escape is None,
        skipinitialspace=dialect.spaces,
    )
    try:
        yield from reader
    except csv.Error as error:
        raise Rejected(f"the table can't be read as CSV: {error}") from error


def _spread(text: str) -> str:
    """The beginning of a long table, and lines from all over it."""
    lines = io.StringIO(text, newline="").readlines()
    step = max(1, len(text) // _MOST_IN_FULL + 1)
    return "".join([*lines[:1_000], *lines[1_000::step]])[: 2 * _MOST_IN_FULL]


def _would_lose_its_form(text: str) -> bool:
    """Whether a number would be written in another way than this text: 1.10, 007, 12345678901234567."""
    if text[:1] not in _NUMBER_STARTS:
        return False
    if _NUMBER.fullmatch(text) is None:
        return text.removeprefix("-").replace(".", "", 1).isdecimal()
    return str(_number(text)) != text


def _value(text: str, *, keep: bool) -> str | int | float | None:
    if not text:
        return None
    if keep or text[0] not in _NUMBER_STARTS or _NUMBER.fullmatch(text) is None:
        return text
    return _number(text)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)

"""Jobs that read sheets."""

from collections import Counter, defaultdict

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, Made
from tool_runner.documents.sheets.options import OfCell, OfSheet, OfWorkbook, ReadCells
from tool_runner.documents.sheets.ranges import Range, letters, range_of
from tool_runner.documents.sheets.reading import ReadCell, ReadSheet, named, sheets_of

MOST_CELLS = 1_000_000
"""Of one range that is read."""
_LISTED_MERGED = 50
_FIRST_ROWS = 5
_DESCRIBED_COLUMNS = 100
_EXAMPLE = 80


def list_sheets(inputs: Inputs, options: OfWorkbook) -> Made:
    """Each sheet's `name`, `state`, `used` range (None: nothing is in it) and `problem` (None: it has none).

    `Rejected` where none of them can be read.
    """
    [data] = inputs
    sheets: list[Json] = []
    problems: list[Rejected] = []
    for sheet in sheets_of(data):
        used = None
        try:
            used = _used(sheet)
        except Rejected as error:
            if error.kind == ErrorKind.TOO_LARGE:
                raise
            problems.append(error)
        about: dict[str, Json] = {"used": str(used) if used else None, "problem": sheet.problem}
        sheets.append({"name": sheet.name, "state": sheet.state, **about})
    if len(problems) == len(sheets):
        raise problems[0]
    return Made({"sheets": sheets})


def read_cells(inputs: Inputs, options: ReadCells) -> Made:
    """The `rows` of the range as lists of values, as far as it is used, and the `formulas` by cell.

    `range` is what was read. With `next_range`, there are more rows; with `problem`, the sheet breaks off.
    `Rejected(kind="invalid_arguments")` for a range of which nothing is used.
    """
    [data] = inputs
    sheet = _sheet(data, options.sheet)
    asked = range_of(options.range) if options.range is not None else None
    kept: dict[int, list[ReadCell]] = {}
    used, count = None, 0
    for number, cells in sheet.rows():
        used = _grown(used, number, cells)
        if asked is None or asked.first_row <= number <= asked.last_row:
            kept[number] = cells
            count += len(cells)
            if count > MOST_CELLS:
                why = f"it has more than {MOST_CELLS:,} cells: ask for a smaller range"
                raise Rejected(why, kind=ErrorKind.TOO_LARGE, path="/range")
    area = used if asked is None or used is None else asked.within(used)
    if area is None:
        if asked is None:
            nothing: dict[str, Json] = {"range": None, "rows": [], "formulas": {}, "next_range": None}
            return Made({"sheet": sheet.name, "problem": sheet.problem, **nothing})
        there = sheet.problem or (f"{used} of it is used" if used else "it is empty")
        why = f"{asked} is outside of what is in the sheet {sheet.name!r}: {there}"
        raise Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path="/range")
    return Made({**_answer(sheet.name, area, options.most, kept), "problem": sheet.problem})


def read_cell(inputs: Inputs, options: OfCell) -> Made:
    """The `value` and the `formula` of a cell; None for one that is empty."""
    [data] = inputs
    place = range_of(options.cell, "/cell")
    sheet = _sheet(data, options.sheet)
    found = ReadCell(place.first_column, None)
    for number, cells in sheet.rows():
        if number == place.first_row:
            found = next((one for one in cells if one.column == place.first_column), found)
    if sheet.problem is not None and found.value is None and found.formula is None:
        raise Rejected(sheet.problem)
    about: dict[str, Json] = {"value": found.value, "formula": found.formula}
    return Made({"sheet": sheet.name, "cell": str(place), **about})


def summarize(inputs: Inputs, options: OfSheet) -> Made:
    """What is in the sheet: how much of it is used, what each column holds, and the first rows."""
    [data] = inputs
    sheet = _sheet(data, options.sheet)
    columns: defaultdict[int, _Column] = defaultdict(_Column)
    first: dict[int, list[ReadCell]] = {}
    used, formulas = None, 0
    for number, cells in sheet.rows():
        used = _grown(used, number, cells)
        if len(first) < _FIRST_ROWS:
            first[number] = cells
        for cell in cells:
            columns[cell.column].take(cell)
            formulas += cell.formula is not None
    shown = sorted(columns)[:_DESCRIBED_COLUMNS]
    return Made(
        {
            "sheet": sheet.name,
            "used": str(used) if used else None,
            "columns": [{"column": letters(one), **columns[one].described()} for one in shown],
            "more_columns": len(columns) - len(shown),
            "first_rows": {str(number): _beginning(cells) for number, cells in first.items()},
            "formulas": formulas,
            "merged": list[Json](sheet.merged[:_LISTED_MERGED]),
            "filtered": sheet.filtered,
            "problem": sheet.problem,
        }
    )


class _Column:
    """What is said of a column, cell by cell."""

    def __init__(self) -> None:
        self._first: Json = None
        self._kinds: Counter[str] = Counter()
        self._least: float | None = None
        self._most: float | None = None

    def take(self, cell: ReadCell) -> None:
        """Count one more cell."""
        value = cell.value
        if not self._kinds:
            self._first = cell.formula or value
        self._kinds["formula" if cell.formula else _kind(value)] += 1
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._least = value if self._least is None else min(self._least, value)
            self._most = value if self._most is None else max(self._most, value)

    def described(self) -> dict[str, Json]:
        """What there is."""
        numbers: dict[str, Json] = {} if self._least is None else {"min": self._least, "max": self._most}
        return {"first": _example(self._first), "kinds": dict[str, Json](self._kinds), **numbers}


def _beginning(cells: list[ReadCell]) -> list[Json]:
    """The row's cells from column A on."""
    shown = [one for one in cells if one.column <= _DESCRIBED_COLUMNS]
    row: list[Json] = [None] * max((one.column for one in shown), default=0)
    for one in shown:
        row[one.column - 1] = _example(one.formula or one.value)
    return row


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text"


def _example(value: Json) -> Json:
    return f"{value[:_EXAMPLE]}…" if isinstance(value, str) and len(value) > _EXAMPLE else value


def _sheet(data: bytes, name: str | None) -> ReadSheet:
    return named({sheet.name: sheet for sheet in sheets_of(data)}, name)


def _used(sheet: ReadSheet) -> Range | None:
    used = None
    for number, cells in sheet.rows():
        used = _grown(used, number, cells)
    return used


def _grown(used: Range | None, row: int, cells: list[ReadCell]) -> Range:
    """What is used, with this row; from A1 on."""
    last = max(cells[0].column, cells[-1].column)
    if used is None:
        return Range(1, 1, last, row)
    return Range(1, 1, max(used.last_column, last), max(used.last_row, row))


def _answer(name: str, area: Range, most: int, kept: dict[int, list[ReadCell]]) -> dict[str, Json]:
    width = area.last_column - area.first_column + 1
    last = min(area.last_row, area.first_row + max(1, most // width) - 1)
    rows: list[Json] = []
    formulas: dict[str, Json] = {}
    for number in range(area.first_row, last + 1):
        row: list[Json] = [None] * width
        for cell in kept.get(number, ()):
            if area.first_column <= cell.column <= area.last_column:
                row[cell.column - area.first_column] = cell.value
                if cell.formula is not None:
                    formulas[f"{letters(cell.column)}{number}"] = cell.formula
        rows.append(row)
    read = msgspec.structs.replace(area, last_row=last)
    rest = msgspec.structs.replace(area, first_row=last + 1) if last < area.last_row else None
    return {
        "sheet": name,
        "range": str(read),
        "rows": rows,
        "formulas": formulas,
        "next_range": str(rest) if rest else None,
    }


JOBS = {"list": list_sheets, "summary": summarize, "read": read_cells, "cell": read_cell}

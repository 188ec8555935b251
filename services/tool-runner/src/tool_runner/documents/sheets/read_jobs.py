"""Jobs that read sheets."""

from collections import Counter, defaultdict

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.sheets.book import ReadBook, ReadCell, ReadSheet, said_of
from tool_runner.documents.sheets.dialects import number_in
from tool_runner.documents.sheets.options import OfCell, OfWorkbook, ReadCells, SheetRef, TableOptions
from tool_runner.documents.sheets.ranges import Range, letters, range_of
from tool_runner.documents.sheets.reading import book_of, named

MOST_CELLS = 1_000_000
"""Of one range that is read."""
_LISTED_MERGED = 50
_FIRST_ROWS = 5
_DESCRIBED_COLUMNS = 100
_EXAMPLE = 80
_SHOWN_TEXTS = 20


def list_sheets(inputs: Inputs, options: OfWorkbook) -> JobOutput:
    """Each sheet's `name`, `state`, `used` range (None: nothing is in it), number of `comments` and `problem`
    (None: it has none); `left_out` says what is in the workbook beside cells.

    `Rejected` where none of them can be read.
    """
    [data] = inputs
    sheets: list[Json] = []
    problems: list[Rejected] = []
    book = book_of(data, options.table)
    for sheet in book.sheets:
        used = None
        try:
            used = _used(sheet)
        except Rejected as error:
            if error.kind == ErrorKind.TOO_LARGE:
                raise
            problems.append(error)
        about: dict[str, Json] = {"used": str(used) if used else None, "comments": len(sheet.comments)}
        sheets.append({"name": sheet.name, "state": sheet.state, **about, "problem": sheet.problem})
    if len(problems) == len(sheets):
        raise problems[0]
    left_out = [*book.left_out, *(one for sheet in book.sheets for one in sheet.left_out())]
    return JobOutput({"left_out": list[Json](left_out), "table": said_of(book.dialect), "sheets": sheets})


def read_cells(inputs: Inputs, options: ReadCells) -> JobOutput:
    """The `rows` of the range as lists of values, as far as it is used, and the `formulas` by cell.

    `comments` are those on its cells. `range` is what was read. With `next_range`, there are more rows; with
    `problem`, the sheet breaks off. `left_out` says what is in the workbook beside that.
    `Rejected(kind="invalid_arguments")` for a range of which nothing is used.
    """
    [data] = inputs
    book, sheet = _sheet(data, options.sheet, options.table)
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
            return JobOutput({**_about(book, sheet, options.sheet), **nothing, **_ending(sheet, None)})
        there = sheet.problem or (f"{used} of it is used" if used else "it is empty")
        why = f"{asked} is outside of what is in the sheet {sheet.name!r}: {there}"
        raise Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path="/range")
    answer = _answer(area, options.most, kept)
    about = _about(book, sheet, options.sheet)
    return JobOutput({**about, **answer, **_ending(sheet, range_of(str(answer["range"])))})


def read_cell(inputs: Inputs, options: OfCell) -> JobOutput:
    """The `value`, the `formula` and the `comment` of a cell; None for what it hasn't."""
    [data] = inputs
    place = range_of(options.cell, "/cell")
    book, sheet = _sheet(data, options.sheet, options.table)
    found = ReadCell(place.first_column, None)
    for number, cells in sheet.rows():
        if number == place.first_row:
            found = next((one for one in cells if one.column == place.first_column), found)
    if sheet.problem is not None and found.value is None and found.formula is None:
        raise Rejected(sheet.problem)
    about: dict[str, Json] = {"value": found.value, "formula": found.formula}
    about["comment"] = sheet.comments.get(str(place))
    return JobOutput({"table": said_of(book.dialect), "sheet": sheet.name, "cell": str(place), **about})


def summarize(inputs: Inputs, options: SheetRef) -> JobOutput:
    """What is in the sheet: how much of it is used, what each column holds, and the first rows."""
    [data] = inputs
    book, sheet = _sheet(data, options.sheet, options.table)
    columns: defaultdict[int, _Column] = defaultdict(_Column)
    first: dict[int, list[ReadCell]] = {}
    used, formulas = None, 0
    for number, cells in sheet.rows():
        used = _grown(used, number, cells)
        if len(first) < _FIRST_ROWS:
            first[number] = cells
        for cell in cells:
            columns[cell.column].take(cell, of_text=book.dialect is not None)
            formulas += cell.formula is not None
    shown = sorted(columns)[:_DESCRIBED_COLUMNS]
    return JobOutput(
        {
            **_about(book, sheet, options.sheet),
            "used": str(used) if used else None,
            "columns": [{"column": letters(one), **columns[one].described()} for one in shown],
            "more_columns": len(columns) - len(shown),
            "first_rows": {str(number): _beginning(cells) for number, cells in first.items()},
            "formulas": formulas,
            "comments": len(sheet.comments),
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

    def take(self, cell: ReadCell, *, of_text: bool) -> None:
        """Count one more cell; in a table of text, a text that is written as a number counts as one."""
        value = cell.value
        number = number_in(value) if of_text and isinstance(value, str) else None
        if not self._kinds:
            self._first = cell.formula or value
        value = value if number is None else number
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


def _sheet(data: bytes, name: str | None, table: TableOptions) -> tuple[ReadBook, ReadSheet]:
    book = book_of(data, table)
    return book, named({sheet.name: sheet for sheet in book.sheets}, name)


def _about(book: ReadBook, sheet: ReadSheet, asked: str | None) -> dict[str, Json]:
    """What an answer begins with, once the sheet's rows are read."""
    others = book.others(sheet) if asked is None else []
    left_out = [*others, *book.left_out, *sheet.left_out()]
    left_out += [f"a text box that says: {text}" for text in book.texts[:_SHOWN_TEXTS]]
    if sheet.state != "visible":
        left_out.append(f"the sheet {sheet.name!r} itself is {sheet.state} in the workbook")
    return {"left_out": list[Json](left_out), "table": said_of(book.dialect), "sheet": sheet.name}


def _ending(sheet: ReadSheet, area: Range | None) -> dict[str, Json]:
    """The comments on cells of an area, and why the sheet breaks off."""
    found = {
        place: said
        for place, said in sheet.comments.items()
        if area is None or range_of(place).within(area) is not None
    }
    return {"comments": dict[str, Json](found), "problem": sheet.problem}


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


def _answer(area: Range, most: int, kept: dict[int, list[ReadCell]]) -> dict[str, Json]:
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
        "range": str(read),
        "rows": rows,
        "formulas": formulas,
        "next_range": str(rest) if rest else None,
    }


JOBS = {"list": list_sheets, "summary": summarize, "read": read_cells, "cell": read_cell}

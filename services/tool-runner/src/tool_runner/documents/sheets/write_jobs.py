"""Jobs that write cells and sheets."""

import re

from openpyxl.cell.cell import MergedCell
from openpyxl.worksheet.worksheet import Worksheet

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.sheets.options import SheetAddition, SheetChange, WriteCells
from tool_runner.documents.sheets.ranges import MOST_COLUMNS, MOST_ROWS, Range, letters, range_of
from tool_runner.documents.sheets.reading import named
from tool_runner.documents.sheets.values import CellInput, put
from tool_runner.documents.sheets.workbooks import OpenWorkbook, new_workbook, open_workbook

_BAD_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LONGEST_NAME = 31
_MOST_SHEETS = 255


def write_cells(inputs: Inputs, options: WriteCells) -> JobOutput:
    """Which `range` of which `sheet` was written, and `notes`; the workbook with these cells."""
    [data] = inputs
    if not data and options.sheet is not None:
        _check_name(options.sheet, ())
    book = open_workbook(data, options)
    sheet = named(book.sheets, options.sheet)
    width = max((len(row) for row in options.values), default=0)
    if not width:
        raise _invalid("there is nothing to write: values are rows of cells", "/values")
    area = _place(sheet, options.range, len(options.values), width)
    for number, row in enumerate(options.values):
        for index, value in enumerate(row):
            place = (area.first_row + number, area.first_column + index)
            _put(book, sheet, place, CellInput(value, f"/values/{number}/{index}"))
    return made(book, {"sheet": sheet.title, "range": str(area)})


def add_sheet(inputs: Inputs, options: SheetAddition) -> JobOutput:
    """All `sheets`; the workbook with an empty one more."""
    [data] = inputs
    name = options.sheet or ""
    if not data:
        _check_name(name, ())
        return _with_sheets(new_workbook(name))
    book = open_workbook(data, options)
    titles = book.workbook.sheetnames
    _check_name(name, titles)
    if len(titles) >= _MOST_SHEETS:
        raise Rejected(f"the workbook has {len(titles)} sheets, which is as many as there may be")
    if options.position is not None and options.position > len(titles) + 1:
        raise _invalid(f"there are {len(titles)} sheets: the position is at most one more", "/position")
    book.workbook.create_sheet(name, None if options.position is None else options.position - 1)
    return _with_sheets(book)


def delete_sheet(inputs: Inputs, options: SheetChange) -> JobOutput:
    """All `sheets` that are left; the workbook without one. Formulas that mean it don't follow."""
    [data] = inputs
    book = open_workbook(data, options)
    sheet = named(book.sheets, options.sheet)
    left = [one for one in book.workbook.worksheets if one is not sheet]
    if not any(one.sheet_state == "visible" for one in left):
        raise Rejected(f"{sheet.title!r} is the only sheet that is shown: a workbook needs one")
    index = book.workbook.index(sheet)
    book.workbook.remove(sheet)
    book.workbook.active = min(index, len(book.workbook.sheetnames) - 1)
    return _with_sheets(book)


def made(book: OpenWorkbook, said: dict[str, Json]) -> JobOutput:
    """The changed workbook, with what is said of it."""
    return JobOutput({**said, "notes": book.notes()}, (book.saved(),))


def used_range(sheet: Worksheet) -> Range | None:
    """From A1 to the last cell that holds something."""
    held = [place for place, cell in sheet._cells.items() if cell.value is not None]
    if not held:
        return None
    return Range(1, 1, max(column for _, column in held), max(row for row, _ in held))


def _place(sheet: Worksheet, name: str | None, rows: int, columns: int) -> Range:
    """Where the values go."""
    if name is None:
        used = used_range(sheet)
        first_column, first_row = 1, used.last_row + 1 if used else 1
    else:
        asked = range_of(name)
        first_column, first_row = asked.first_column, asked.first_row
        size = (asked.last_row - asked.first_row + 1, asked.last_column - asked.first_column + 1)
        if asked.cells > 1 and size != (rows, columns):
            why = f"{asked} has {size[0]} rows of {size[1]} cells, values has {rows} of {columns}"
            raise _invalid(f"{why}: give the first cell alone, or values of this size", "/values")
    area = Range(first_column, first_row, first_column + columns - 1, first_row + rows - 1)
    if area.last_row > MOST_ROWS or area.last_column > MOST_COLUMNS:
        raise _invalid(f"{area} is outside of a sheet, which ends at XFD{MOST_ROWS}", "/range")
    return area


def _put(book: OpenWorkbook, sheet: Worksheet, place: tuple[int, int], given: CellInput) -> None:
    row, column = place
    if given.value is None and (row, column) not in sheet._cells:
        return
    cell = sheet.cell(row, column)
    where = f"{letters(column)}{row}"
    if isinstance(cell, MergedCell):
        if given.value is None:
            return
        merged = next(str(one) for one in sheet.merged_cells.ranges if where in one)
        raise Rejected(
            f"{where} is merged into {merged}, of which only the first cell holds a value", path=given.path
        )
    put(cell, given)
    book.formulas = book.formulas or cell.data_type == "f"


def _with_sheets(book: OpenWorkbook) -> JobOutput:
    return made(book, {"sheets": list[Json](book.workbook.sheetnames)})


def _check_name(name: str, others: "list[str] | tuple[()]") -> None:
    if not name.strip() or len(name) > _LONGEST_NAME or _BAD_IN_NAMES.search(name):
        why = f"a sheet's name has 1 to {_LONGEST_NAME} characters, none of [ ] : * ? / \\"
        raise _invalid(why, "/sheet")
    if name.startswith("'") or name.endswith("'"):
        raise _invalid("a sheet's name neither begins nor ends with '", "/sheet")
    if name.casefold() in {one.casefold() for one in others}:
        raise Rejected(f"there is a sheet {name!r} already", kind=ErrorKind.CONFLICT, path="/sheet")


def _invalid(why: str, path: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)


JOBS = {"write": write_cells, "add_sheet": add_sheet, "delete_sheet": delete_sheet}

"""Jobs that change how a sheet looks."""

from copy import copy
from typing import Any

from openpyxl.styles import Color, PatternFill
from openpyxl.worksheet.worksheet import Worksheet

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.sheets.options import FormatChange, SetFilter
from tool_runner.documents.sheets.ranges import Range, letters, range_of
from tool_runner.documents.sheets.reading import named
from tool_runner.documents.sheets.values import json_of
from tool_runner.documents.sheets.workbooks import open_workbook
from tool_runner.documents.sheets.write_jobs import made, used_range

MOST_FORMATTED = 100_000
"""Cells."""
_MOST_WIDTHS = 1_000
"""Columns."""


def set_format(inputs: Inputs, options: FormatChange) -> JobOutput:
    """Which `range` of which `sheet` looks as asked; the workbook with it."""
    [data] = inputs
    book = open_workbook(data, options)
    sheet = named(book.sheets, options.sheet)
    asked = range_of(options.range)
    if options.width is not None:
        if asked.last_column - asked.first_column >= _MOST_WIDTHS:
            raise _invalid(f"a width is set for at most {_MOST_WIDTHS} columns at once", "/range")
        for column in range(asked.first_column, asked.last_column + 1):
            sheet.column_dimensions[letters(column)].width = options.width
    area = _formatted(sheet, asked)
    if area is not None and _of_cells(options):
        if area.cells > MOST_FORMATTED:
            why = f"{area} has {area.cells:,} cells; at most {MOST_FORMATTED:,} are formatted at once"
            raise Rejected(why, kind=ErrorKind.TOO_LARGE, path="/range")
        known: dict[tuple[int, ...], Any] = {}
        for row in range(area.first_row, area.last_row + 1):
            for column in range(area.first_column, area.last_column + 1):
                _format(sheet.cell(row, column), options, known)
    return made(book, {"sheet": sheet.title, "range": str(area or asked)})


def set_filter(inputs: Inputs, options: SetFilter) -> JobOutput:
    """Which `range` of which `sheet` has a filter, and how many rows it `hidden`; the workbook with it."""
    [data] = inputs
    book = open_workbook(data, options)
    sheet = named(book.sheets, options.sheet)
    _unhide(sheet)
    sheet.auto_filter.filterColumn = []
    if options.remove:
        sheet.auto_filter.ref = None
        return made(book, {"sheet": sheet.title, "range": None, "hidden": 0})
    used = used_range(sheet)
    area = range_of(options.range) if options.range is not None else used
    if area is not None and used is not None:
        area = area.within(used)
    if area is None or used is None:
        raise _invalid(f"nothing of the sheet {sheet.title!r} is used there", "/range")
    sheet.auto_filter.ref = str(area)
    hidden = 0
    if options.column is not None:
        column = range_of(f"{options.column}:{options.column}", "/column").first_column
        if not area.first_column <= column <= area.last_column:
            raise _invalid(f"{options.column} is not a column of {area}", "/column")
        sheet.auto_filter.add_filter_column(column - area.first_column, list(options.values))
        for row in range(area.first_row + 1, area.last_row + 1):
            if _shown(sheet, row, column) not in options.values:
                sheet.row_dimensions[row].hidden = True
                hidden += 1
    return made(book, {"sheet": sheet.title, "range": str(area), "hidden": hidden})


def _formatted(sheet: Worksheet, asked: Range) -> Range | None:
    """The cells of the range: of whole columns and rows, those that are used."""
    whole = range_of("A:XFD")
    if asked.last_row < whole.last_row and asked.last_column < whole.last_column:
        return asked
    used = used_range(sheet)
    return None if used is None else asked.within(used)


def _of_cells(options: FormatChange) -> bool:
    return any(
        one is not None
        for one in (
            options.number_format,
            options.bold,
            options.italic,
            options.font_size,
            options.font_color,
            options.fill_color,
            options.align,
            options.wrap,
        )
    )


def _format(cell: Any, options: FormatChange, known: dict[tuple[int, ...], Any]) -> None:
    before = tuple(cell._style)
    if before in known:  # to make a style takes long, and most cells of a range have the same
        cell._style = copy(known[before])
        return
    if options.number_format is not None:
        cell.number_format = options.number_format
    given = {
        "b": options.bold,
        "i": options.italic,
        "sz": options.font_size,
        "color": _color(options.font_color) if options.font_color is not None else None,
    }
    font = {name: value for name, value in given.items() if value is not None}
    if font:
        changed = copy(cell.font)
        for name, value in font.items():
            setattr(changed, name, value)
        cell.font = changed
    if options.fill_color is not None:
        cell.fill = PatternFill("solid", fgColor=_color(options.fill_color))
    if options.align is not None or options.wrap is not None:
        alignment = copy(cell.alignment)
        alignment.horizontal = options.align or alignment.horizontal
        alignment.wrap_text = alignment.wrap_text if options.wrap is None else options.wrap
        cell.alignment = alignment
    known[before] = cell._style


def _color(text: str) -> Color:
    return Color(rgb=f"FF{text.removeprefix('#').upper()}")


def _unhide(sheet: Worksheet) -> None:
    """The rows that the filter before hid."""
    if sheet.auto_filter.ref and sheet.auto_filter.filterColumn:
        area = range_of(sheet.auto_filter.ref)
        for row, dimension in sheet.row_dimensions.items():
            if area.first_row <= row <= area.last_row:
                dimension.hidden = False


def _shown(sheet: Worksheet, row: int, column: int) -> str:
    cell = sheet._cells.get((row, column))
    value = None if cell is None else json_of(cell.value)
    return "" if value is None else str(value).removeprefix("'")


def _invalid(why: str, path: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)


JOBS = {"format": set_format, "filter": set_filter}

"""Jobs that insert and delete rows. openpyxl moves cells only; what names them is moved here."""

from openpyxl.formatting.formatting import ConditionalFormattingList
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.dimensions import RowDimension
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.sheets.options import ChangeRows
from tool_runner.documents.sheets.ranges import MOST_ROWS
from tool_runner.documents.sheets.reading import named
from tool_runner.documents.sheets.row_shift import RowShift
from tool_runner.documents.sheets.workbooks import open_workbook
from tool_runner.documents.sheets.write_jobs import made, used_range


def insert_rows(inputs: Inputs, options: ChangeRows) -> JobOutput:
    """How many `rows` are used afterwards; the workbook with empty rows."""
    return _changed(inputs, options, options.count)


def delete_rows(inputs: Inputs, options: ChangeRows) -> JobOutput:
    """How many `rows` are used afterwards; the workbook without these."""
    return _changed(inputs, options, -options.count)


def _changed(inputs: Inputs, options: ChangeRows, count: int) -> JobOutput:
    [data] = inputs
    book = open_workbook(data, options)
    sheet = named(book.sheets, options.sheet)
    used = used_range(sheet)
    rows = used.last_row if used else 0
    if options.row > rows + (count > 0):
        raise Rejected(
            f"row {options.row} is outside of what is in the sheet {sheet.title!r}, which has {rows} rows",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/row",
        )
    if rows + count > MOST_ROWS:
        raise Rejected(
            f"a sheet has at most {MOST_ROWS:,} rows", kind=ErrorKind.INVALID_ARGUMENTS, path="/count"
        )
    _move(book.workbook, sheet, RowShift(sheet.title, options.row, max(count, options.row - rows - 1)))
    after = used_range(sheet)
    return made(book, {"sheet": sheet.title, "rows": after.last_row if after else 0})


def _move(workbook: Workbook, sheet: Worksheet, moved: RowShift) -> None:
    merged = [str(one) for one in sheet.merged_cells.ranges]
    for one in merged:
        sheet.unmerge_cells(one)
    if moved.count > 0:
        sheet.insert_rows(moved.row, moved.count)
    else:
        sheet.delete_rows(moved.row, -moved.count)
    for one in merged:
        place = moved.reference(one)
        if place is not None and ":" in place and len(set(place.split(":"))) == 2:
            sheet.merge_cells(place)
    _move_heights(sheet, moved)
    _move_ranges(sheet, moved)
    for each in workbook.worksheets:
        _move_formulas(each, moved)
    for names in (workbook.defined_names, *(each.defined_names for each in workbook.worksheets)):
        for name in names.values():
            if name.value:
                name.value = moved.formula(f"={name.value}", "")[1:]


def _move_heights(sheet: Worksheet, moved: RowShift) -> None:
    before = dict(sheet.row_dimensions)
    sheet.row_dimensions.clear()
    for row, dimension in before.items():
        place = moved.line(row)
        if place is not None and isinstance(dimension, RowDimension):
            dimension.index = place
            sheet.row_dimensions[place] = dimension


def _move_ranges(sheet: Worksheet, moved: RowShift) -> None:
    """Filters, tables, conditional formats, checks of input, links, what is frozen."""
    if sheet.auto_filter.ref:
        sheet.auto_filter.ref = moved.ranges(sheet.auto_filter.ref) or None
    for name, table in list(dict(sheet.tables).items()):
        place = moved.reference(table.ref)
        if place is None:
            del sheet.tables[name]
            continue
        table.ref = place
        if table.autoFilter is not None and table.autoFilter.ref:
            table.autoFilter.ref = moved.ranges(table.autoFilter.ref) or place
    formats = ConditionalFormattingList()
    for one in sheet.conditional_formatting:
        place = moved.ranges(str(one.sqref))
        if place:
            for rule in one.rules:
                rule.formula = [moved.formula(f"={text}", sheet.title)[1:] for text in rule.formula]
                formats.add(place, rule)
    sheet.conditional_formatting = formats
    for check in list(sheet.data_validations.dataValidation):
        place = moved.ranges(str(check.sqref))
        if place:
            check.sqref = MultiCellRange(place)
        else:
            sheet.data_validations.dataValidation.remove(check)
    for cell in sheet._cells.values():
        if cell.hyperlink is not None:
            cell.hyperlink.ref = cell.coordinate
    if sheet.freeze_panes:
        sheet.freeze_panes = moved.reference(sheet.freeze_panes) or sheet.freeze_panes


def _move_formulas(sheet: Worksheet, moved: RowShift) -> None:
    for cell in sheet._cells.values():
        value = cell.value
        if isinstance(value, ArrayFormula):
            if sheet.title == moved.sheet:
                value.ref = moved.reference(value.ref) or value.ref
            value.text = moved.formula(value.text or "=", sheet.title)
        elif cell.data_type == "f" and isinstance(value, str):
            cell.value = moved.formula(value, sheet.title)


JOBS = {"insert_rows": insert_rows, "delete_rows": delete_rows}

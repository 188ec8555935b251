"""Old workbooks (.xls), by xlrd."""

import io
from collections.abc import Iterator
from datetime import time

import xlrd
import xlrd.xldate

from agent_contracts.errors import Rejected
from tool_runner.documents.sheets.book import ReadBook, ReadCell, ReadSheet, Row
from tool_runner.documents.sheets.ranges import letters
from tool_runner.documents.sheets.values import json_of

_STATES = {0: "visible", 1: "hidden", 2: "veryHidden"}


def read_xls(data: bytes) -> ReadBook:
    """Its sheets. `Rejected` for what is broken, or protected by a password."""
    try:
        book = xlrd.open_workbook(file_contents=data, logfile=io.StringIO(), on_demand=True)
    except Exception as error:  # xlrd raises what it comes across
        if "encrypted" in str(error):
            raise Rejected("the workbook is protected by a password: save it without one") from error
        raise Rejected(f"the .xls workbook can't be read: {error}"[:400]) from error
    sheets = []
    for place, name in enumerate(book.sheet_names()):
        state = _STATES.get(book._sheet_visibility[place], "hidden")
        sheets.append(ReadSheet(name, state, _XlsCells(book, place).rows))
    left_out = [
        "formulas, whose last values are here, pictures and charts: save it as .xlsx to have all of it"
    ]
    return ReadBook(sheets, left_out)


class _XlsCells:
    """The cells of one sheet."""

    def __init__(self, book: xlrd.Book, place: int) -> None:
        self._book = book
        self._place = place

    def rows(self, sheet: ReadSheet) -> Iterator[Row]:
        """Its rows. `Rejected` for a sheet that is broken."""
        try:
            found = self._book.sheet_by_index(self._place)
        except Exception as error:  # xlrd raises what it comes across
            sheet.problem = f"the sheet {sheet.name!r} is broken: {error}"[:400]
            raise Rejected(sheet.problem) from error
        for (row, column), note in sorted(found.cell_note_map.items()):
            sheet.comments[f"{letters(column + 1)}{row + 1}"] = " ".join(note.text.split())
        for first, last, left, right in found.merged_cells:
            sheet.merged.append(f"{letters(left + 1)}{first + 1}:{letters(right)}{last}")
        for number in range(found.nrows):
            cells = [
                ReadCell(column + 1, json_of(value))
                for column, cell in enumerate(found.row(number))
                if (value := self._value(cell)) is not None
            ]
            if cells:
                yield number + 1, cells
        self._book.unload_sheet(self._place)

    def _value(self, cell: xlrd.sheet.Cell) -> object:
        if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK) or cell.value == "":
            return None
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return str(xlrd.error_text_from_code.get(cell.value, "#VALUE!"))
        if cell.ctype == xlrd.XL_CELL_DATE:
            try:
                moment = xlrd.xldate.xldate_as_datetime(cell.value, self._book.datemode)
            except (xlrd.xldate.XLDateError, OverflowError, ValueError):
                return "#VALUE!"
            return moment.time() if 0 < cell.value < 1 and moment.time() != time.min else moment
        return cell.value

"""The cells of a workbook, read as a stream: openpyxl's own takes 11 s for a million of them, this 3 s."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from lxml import etree
from openpyxl.formula.translate import Translator
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.utils.datetime import from_excel, from_ISO8601

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.sheets.book import ReadBook, ReadCell, ReadSheet, Row, unlike_rows
from tool_runner.documents.sheets.dense import DenseRows
from tool_runner.documents.sheets.dialects import DelimitedTable
from tool_runner.documents.sheets.old import read_xls
from tool_runner.documents.sheets.opendocument import read_ods
from tool_runner.documents.sheets.opening import OldWorkbook, OpenDocumentSheets, opened
from tool_runner.documents.sheets.options import TableOptions
from tool_runner.documents.sheets.ranges import MOST_COLUMNS, MOST_ROWS, column_of
from tool_runner.documents.sheets.side_contents import comments_of, drawn_in
from tool_runner.documents.sheets.values import json_of

_NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_CELL, _VALUE, _FORMULA, _INLINE = f"{_NS}c", f"{_NS}v", f"{_NS}f", f"{_NS}is"
_TEXT, _RUN = f"{_NS}t", f"{_NS}r"
_SHOWN_NAMES = 20

S = TypeVar("S")
TABLE = "Sheet1"
"""What the one sheet of a table of text is called."""


def book_of(data: bytes, table: TableOptions) -> ReadBook:
    """All sheets with cells. `Rejected` for bytes that can't be read."""
    source = opened(data, table)
    if isinstance(source, DelimitedTable):
        sheet = ReadSheet(TABLE, "visible", lambda _: _table_rows(source))
        return ReadBook([sheet], unlike_rows(source.dialect), dialect=source.dialect)
    if isinstance(source, OldWorkbook):
        return read_xls(source.data)
    if isinstance(source, OpenDocumentSheets):
        return read_ods(source.content)
    reader = _reader(source.data)
    found = []
    chartsheets: list[str] = []
    for sheet, relation in reader.parser.find_sheets():
        if "chartsheet" in relation.Type:
            chartsheets.append(sheet.name)
        elif relation.target in reader.valid_files:
            comments = comments_of(source.archive, relation.target)
            cells = _XlsxCells(reader, source.archive, relation.target)
            found.append(ReadSheet(sheet.name, sheet.state, cells.rows, comments=comments))
    if not found:
        raise Rejected("the workbook has no sheet with cells")
    texts, left_out = drawn_in(source.archive, chartsheets)
    return ReadBook(found, left_out, texts)


def named(sheets: Mapping[str, S], name: str | None) -> S:
    """The sheet of this name (in any case), the first without one. `Rejected(kind="not_found")`."""
    if name is None:
        return next(iter(sheets.values()))
    for has, sheet in sheets.items():
        if has.casefold() == name.casefold():
            return sheet
    known = ", ".join(list(sheets)[:_SHOWN_NAMES])
    raise Rejected(f"there is no sheet {name!r}; there is {known}", kind=ErrorKind.NOT_FOUND, path="/sheet")


def _reader(data: bytes) -> Any:
    """openpyxl's reader with names, texts and formats, but no cells."""
    reader = ExcelReader(io.BytesIO(data), read_only=True, keep_links=False)
    try:
        reader.read_manifest()
        reader.read_strings()
        reader.read_workbook()
        apply_stylesheet(reader.archive, reader.wb)
    except Rejected:
        raise
    except Exception as error:  # openpyxl raises what it comes across
        raise Rejected(f"the workbook is broken: {type(error).__name__}: {error}"[:400]) from error
    return reader


def _table_rows(table: DelimitedTable) -> Iterator[Row]:
    for number, row in enumerate(table.rows(), 1):
        check_place(number, len(row))
        cells = [ReadCell(column, json_of(value)) for column, value in enumerate(row, 1) if value is not None]
        if cells:
            yield number, cells


def check_place(row: int, column: int) -> None:
    """`Rejected(kind="too_large")` for a row or column that no sheet has."""
    if row > MOST_ROWS or column > MOST_COLUMNS:
        raise Rejected(
            f"the sheet has a cell in row {row:,}, column {column:,}; "
            f"a sheet has at most {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns",
            kind=ErrorKind.TOO_LARGE,
        )


class _XlsxCells:
    """The cells of one sheet's part."""

    def __init__(self, reader: Any, archive: zipfile.ZipFile, part: str) -> None:
        self._strings = reader.shared_strings
        self._workbook = reader.wb
        self._archive = archive
        self._part = part
        self._shared: dict[str, Translator] = {}
        self._columns: dict[str, int] = {}

    def rows(self, sheet: ReadSheet) -> Iterator[Row]:
        """Its rows as they come, up to where its XML is broken. `Rejected` where that is before the first
        row, or a cell is where no sheet has one."""
        tags = (f"{_NS}row", f"{_NS}mergeCell", f"{_NS}autoFilter")
        number = 0
        begun = False
        sheet.merged = []
        try:
            with self._archive.open(self._part) as part:
                for _, element in etree.iterparse(
                    DenseRows(part), tag=tags, resolve_entities=False, no_network=True
                ):
                    if element.tag == tags[0]:
                        number = int(element.get("r") or number + 1)
                        check_place(number, 1)
                        cells = [cell for cell in self._row(element, number) if cell is not None]
                        if cells:
                            begun = True
                            yield number, cells
                    elif element.tag == tags[1]:
                        sheet.merged.append(element.get("ref", ""))
                    else:
                        sheet.filtered = element.get("ref")
                    _forget(element)
        except (etree.XMLSyntaxError, zipfile.BadZipFile, ValueError, IndexError, EOFError) as error:
            sheet.problem = f"the sheet {sheet.name!r} is broken: {error}"[:400]
            if not begun:
                raise Rejected(sheet.problem) from error

    def _row(self, row: Any, number: int) -> Iterator[ReadCell | None]:
        column = 0
        for cell in row.iterchildren(_CELL):
            place = cell.get("r")
            column = self._column(place) if place else column + 1
            check_place(number, column)
            yield self._cell(cell, place, column)

    def _column(self, place: str) -> int:
        name = place.rstrip("0123456789")
        found = self._columns.get(name)
        if found is None:
            if not 1 <= len(name) <= 3 or not name.isalpha() or not name.isascii():
                raise ValueError(f"{place!r:.40} is not a cell")
            found = self._columns[name] = column_of(name)
        return found

    def _cell(self, cell: Any, place: str | None, column: int) -> ReadCell | None:
        text = formula = inline = None
        for part in cell:
            if part.tag == _VALUE:
                text = part.text
            elif part.tag == _FORMULA:
                formula = self._formula(part, place)
            elif part.tag == _INLINE:
                inline = part
        value: Json = None
        if inline is not None:
            value = json_of(_plain(inline))
        elif text is not None:
            value = json_of(self._value(cell.get("t", "n"), text, int(cell.get("s") or 0)))
        return None if value is None and formula is None else ReadCell(column, value, formula)

    def _value(self, kind: str, text: str, style: int) -> object:
        if kind == "s":
            return self._strings[int(text)]
        if kind == "n":
            number = float(text)
            return self._moment(number, style) if style in self._workbook._date_formats else number
        if kind == "b":
            return text == "1"
        return from_ISO8601(text) if kind == "d" else text  # type: ignore[no-untyped-call]

    def _moment(self, number: float, style: int) -> object:
        try:
            as_time = style in self._workbook._timedelta_formats
            return from_excel(number, self._workbook.epoch, timedelta=as_time)
        except (OverflowError, ValueError):  # outside of what dates can be: as programs show it
            return "#VALUE!"

    def _formula(self, element: Any, place: str | None) -> str:
        text = f"={element.text or ''}"
        shared = element.get("si") if element.get("t") == "shared" else None
        if shared is None or place is None:
            return text
        if element.text:
            self._shared[shared] = Translator(text, place)
            return text
        known = self._shared.get(shared)
        return str(known.translate_formula(place)) if known else text


def _plain(element: Any) -> str:
    """The text of all runs, without how it is to be pronounced."""
    pieces = [one.text or "" for one in element.iterchildren(_TEXT)]
    for run in element.iterchildren(_RUN):
        pieces += [one.text or "" for one in run.iterchildren(_TEXT)]
    return "".join(pieces)


def _forget(element: Any) -> None:
    """What has been read of the tree is not kept."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]

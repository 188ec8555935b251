"""Workbooks in memory, to be changed: opened with what openpyxl keeps, and saved without any other file."""

import io
import re
import zipfile
from typing import Any

import openpyxl
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.sheets.dialects import DelimitedTable, number_in
from tool_runner.documents.sheets.opening import OldWorkbook, OpenDocumentSheets, opened
from tool_runner.documents.sheets.options import SheetChange, TableOptions
from tool_runner.documents.sheets.ranges import range_of
from tool_runner.documents.sheets.reading import TABLE, check_place

MOST_CHANGED = 250_000
"""Cells of a workbook that is changed: all of them are in memory, and are written anew."""
MOST_MERGED = 100_000
"""Cells that are merged or linked."""
NOT_COMPUTED = "formulas are kept but not computed: a spreadsheet program does that when it opens the file"

MACROS = "macros"
_LOST_PARTS = {
    "xl/vbaProject.bin": MACROS,
    "xl/charts/": "charts",
    "xl/chartsheets/": "charts",
    "xl/pivotTables/": "pivot tables",
    "xl/slicers/": "slicers",
    "xl/timelines/": "timelines",
    "xl/threadedComments/": "threaded comments",
    "xl/ctrlProps/": "form controls",
    "xl/activeX/": "form controls",
    "xl/embeddings/": "embedded files",
    "xl/diagrams/": "diagrams",
    "xl/connections.xml": "data connections",
    "xl/queryTables/": "data connections",
    "xl/model/": "the data model",
    "xl/richData/": "rich data types",
}
_LOST_MARKUP = {
    re.compile(rb"<(?:\w+:)?(?:sparklineGroup|x14:conditionalFormatting)\b"): "sparklines and newer formats",
    re.compile(rb"<(?:\w+:)?(?:sp|cxnSp|grpSp)[\s>]"): "shapes and text boxes",
}
_LOST_PICTURES = re.compile(r"xl/media/.*\.(?:emf|wmf|svg)", re.IGNORECASE)
_CELL = re.compile(rb"<(?:\w+:)?c[\s>/]")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_SPREAD = re.compile(rb"<(?:\w+:)?(?:mergeCell|hyperlink)\s[^>]*?\bref=\"([^\"]{1,40})\"")


class OpenWorkbook:
    """A workbook that is being changed."""

    def __init__(self, workbook: Workbook, *, formulas: bool = False) -> None:
        self.workbook = workbook
        self.formulas = formulas

    @property
    def sheets(self) -> dict[str, Worksheet]:
        """The sheets with cells, by name."""
        return {sheet.title: sheet for sheet in self.workbook.worksheets}

    def notes(self) -> list[Json]:
        """What whoever changed it should know."""
        return [NOT_COMPUTED] if self.formulas else []

    def saved(self) -> bytes:
        """Its bytes."""
        self.workbook.calculation.fullCalcOnLoad = True
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
            _Writer(self.workbook, archive).write_data()
        return made.getvalue()


def new_workbook(sheet: str | None) -> OpenWorkbook:
    """One with an empty sheet."""
    workbook = openpyxl.Workbook()
    [first] = workbook.worksheets
    first.title = sheet or TABLE
    return OpenWorkbook(workbook)


def open_workbook(data: bytes, change: SheetChange) -> OpenWorkbook:
    """The workbook, or a table of text as one; no bytes are a new one.

    `Rejected` for what can't be read, is too large to be changed, or has what can't be kept, unless that is
    to be dropped.
    """
    if not data:
        return new_workbook(change.sheet)
    source = opened(data, TableOptions())
    if isinstance(source, OldWorkbook | OpenDocumentSheets):
        raise Rejected("an .xls or .ods workbook is only read: save it as .xlsx to change it")
    if isinstance(source, DelimitedTable):
        if not change.new_file:
            raise Rejected(
                "a table of text (.csv, .tsv) is only read: give an output_path that ends in .xlsx, "
                "or write it with the tools for text files"
            )
        return _from_table(source)
    lost, formulas = _checked(source.archive)
    if MACROS in lost and not change.new_file:
        raise Rejected("the workbook has macros, which can't be kept: give an output_path that ends in .xlsx")
    if lost and not change.drop:
        raise Rejected(
            f"the workbook has {', '.join(lost)}, which can't be kept when it is written: "
            "set drop_unsupported to go on without, best with an output_path"
        )
    try:
        workbook = openpyxl.load_workbook(io.BytesIO(source.data), rich_text=True)
    except MemoryError:
        raise
    except Exception as error:  # openpyxl raises what it comes across
        why = str(error).partition("\n")[0]
        raise Rejected(f"the workbook is broken: {type(error).__name__}: {why}"[:400]) from error
    if not workbook.worksheets:
        raise Rejected("the workbook has no sheet with cells")
    for sheet in workbook.worksheets:
        check_place(sheet.max_row, sheet.max_column)
    return OpenWorkbook(workbook, formulas=formulas)


def _checked(archive: zipfile.ZipFile) -> tuple[list[str], bool]:
    """What would be lost of it, and whether it has formulas. `Rejected` for what is too large."""
    lost: dict[str, None] = {}
    cells, spread, formulas = 0, 0, False
    for name in archive.namelist():
        lost |= {words: None for part, words in _LOST_PARTS.items() if name.startswith(part)}
        if _LOST_PICTURES.fullmatch(name):
            lost["pictures of vectors"] = None
        if not name.startswith(("xl/worksheets/", "xl/drawings/")) or not name.endswith(".xml"):
            continue
        try:
            part = archive.read(name)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
            raise Rejected(f"the workbook is broken: {error}") from error
        lost |= {words: None for markup, words in _LOST_MARKUP.items() if markup.search(part)}
        cells += sum(1 for _ in _CELL.finditer(part))
        formulas = formulas or _FORMULA.search(part) is not None
        for found in _SPREAD.finditer(part):
            spread += range_of(found.group(1).decode("ascii", "replace")).cells
    if cells > MOST_CHANGED:
        why = f"the workbook has {cells:,} cells; one that is changed has at most {MOST_CHANGED:,}"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE)
    if spread > MOST_MERGED:
        why = f"the workbook has {spread:,} merged or linked cells, at most {MOST_MERGED:,} can be changed"
        raise Rejected(why, kind=ErrorKind.TOO_LARGE)
    return list(lost), formulas


def _from_table(table: DelimitedTable) -> OpenWorkbook:
    made = new_workbook(None)
    [sheet] = made.workbook.worksheets
    count = 0
    for number, row in enumerate(table.rows(), 1):
        count += len(row)
        if count > MOST_CHANGED:
            why = f"the table has more than the {MOST_CHANGED:,} cells that a workbook is made of"
            raise Rejected(why, kind=ErrorKind.TOO_LARGE)
        for column, value in enumerate(row, 1):
            if value is not None:
                cell = sheet.cell(number, column)
                _put(cell, value)
    return made


def _put(cell: Cell | MergedCell, value: str | int | float) -> None:
    """A text that is written as a number becomes that number, in a format that shows it as it was."""
    number = number_in(value) if isinstance(value, str) else None
    if number is None:
        cell.value = value
        cell.data_type = "s" if isinstance(value, str) else "n"
    else:
        cell.value = number
        cell.number_format = f"0.{'0' * len(str(value).partition('.')[2])}".rstrip(".")


class _Writer(ExcelWriter):
    """openpyxl's, but for sheets in memory instead of in temporary files, which can't be opened here."""

    def write_worksheet(self, ws: Any) -> None:
        """See `ExcelWriter`."""
        ws._drawing = SpreadsheetDrawing()
        ws._drawing.charts = ws._charts
        ws._drawing.images = ws._images
        part = io.BytesIO()
        writer = WorksheetWriter(ws, part)
        writer.write()
        ws._rels = writer._rels  # type: ignore[attr-defined]
        archive: zipfile.ZipFile = self._archive  # type: ignore[attr-defined]
        archive.writestr(ws.path[1:], part.getvalue())
        self.manifest.append(ws)

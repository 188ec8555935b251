"""Tools that look at sheets and change what rows and sheets there are."""

from typing import Annotated

from pydantic import Field, JsonValue

from agent_tools.tool import PURE, RECORDED, Result, tool
from tool_runner.agent.file_arguments import OfFile
from tool_runner.agent.file_documents import FileDocuments, FileJob
from tool_runner.documents.sheets import options
from tool_runner.documents.sheets.options import ChangeRows, OfWorkbook, SheetChange
from tool_runner.tools.spreadsheets.shapes import (
    Row,
    SheetArguments,
    TextTable,
    ToSheet,
    WrittenRows,
    WrittenSheets,
    all_of,
)


class AddSheet(ToSheet):
    """What it is called, and where it goes."""

    sheet: Annotated[str, Field(min_length=1, description="Its name, at most 31 characters.")]
    position: Annotated[Row | None, Field(description="1 is the first. Default: the last.")] = None


@tool("spreadsheet_add_sheet", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_add_sheet(args: AddSheet, documents: FileDocuments) -> WrittenSheets:
    """Add an empty sheet to a workbook; a path ending in .xlsx that doesn't exist becomes a new one."""
    change = options.SheetAddition(sheet=args.sheet, position=args.position)
    file, said = await documents.write(args.place(may_be_new=True), args.work("sheets.add_sheet", change))
    return WrittenSheets(**all_of(file, said))


class DeleteRows(ToSheet):
    """Which."""

    row: Row
    count: Annotated[int, Field(ge=1, le=1_048_576, description="Rows.")] = 1


@tool("spreadsheet_delete_rows", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_delete_rows(args: DeleteRows, documents: FileDocuments) -> WrittenRows:
    """Delete rows from `row` on. Formulas move along; one that meant a deleted cell says #REF!."""
    change = ChangeRows(sheet=args.sheet, row=args.row, count=args.count)
    file, said = await documents.write(args.place(), args.work("sheets.delete_rows", change))
    return WrittenRows(**all_of(file, said))


class DeleteSheet(ToSheet):
    """Which."""

    sheet: Annotated[str, Field(min_length=1, description="Its name.")]


@tool("spreadsheet_delete_sheet", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_delete_sheet(args: DeleteSheet, documents: FileDocuments) -> WrittenSheets:
    """Delete a sheet of a workbook. Formulas of other sheets that mean it are left as they are."""
    file, said = await documents.write(
        args.place(), args.work("sheets.delete_sheet", SheetChange(sheet=args.sheet))
    )
    return WrittenSheets(**all_of(file, said))


class ColumnSummary(Result):
    """A column: its first value, how many cells of each kind, and the least and largest number."""

    column: str
    first: JsonValue
    kinds: dict[str, int]
    min: float | None = None
    max: float | None = None


class SheetSummary(Result):
    """A sheet. `first_rows` are the first five that hold something, by number; `merged` at most 50 ranges;
    `problem` says why not all of it can be read, `left_out` what is in the workbook beside these cells."""

    left_out: list[str]
    table: TextTable | None
    sheet: str
    used: str | None
    columns: list[ColumnSummary]
    more_columns: int
    first_rows: dict[str, list[JsonValue]]
    formulas: int
    comments: int
    merged: list[str]
    filtered: str | None
    problem: str | None


@tool("spreadsheet_get_sheet_summary", family="spreadsheets", effect=PURE, timeout_s=40)
async def spreadsheet_get_sheet_summary(args: SheetArguments, documents: FileDocuments) -> SheetSummary:
    """What a sheet holds: its size, its columns and their kinds of values, its first rows."""
    _, done = await documents.read(
        args.ref, FileJob("sheets.summary", options.SheetRef(args.sheet, args.table))
    )
    return SheetSummary.model_validate(done.value)


class InsertRows(ToSheet):
    """Which."""

    row: Row
    count: Annotated[int, Field(ge=1, le=1_048_576, description="Rows.")] = 1


@tool("spreadsheet_insert_rows", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_insert_rows(args: InsertRows, documents: FileDocuments) -> WrittenRows:
    """Insert empty rows before `row`. Formulas, merged cells, filters, tables and formats move along."""
    change = ChangeRows(sheet=args.sheet, row=args.row, count=args.count)
    file, said = await documents.write(args.place(), args.work("sheets.insert_rows", change))
    return WrittenRows(**all_of(file, said))


class SheetName(Result):
    """A sheet: `state` is visible or hidden, `used` the range with something in it, `problem` why not all of
    it can be read."""

    name: str
    state: str
    used: str | None
    comments: int
    problem: str | None


class SheetNames(Result):
    """The workbook and its sheets, in order; `left_out` says what is in it beside cells."""

    file_id: str
    path: str
    version: int
    size: int
    left_out: list[str]
    table: TextTable | None
    sheets: list[SheetName]


@tool("spreadsheet_list_sheets", family="spreadsheets", effect=PURE, timeout_s=40)
async def spreadsheet_list_sheets(args: OfFile, documents: FileDocuments) -> SheetNames:
    """List the sheets of a workbook (.xlsx, .xls, .ods; .csv and .tsv are one sheet), and how much of each is
    used."""
    file, done = await documents.read(args.ref, FileJob("sheets.list", OfWorkbook()))
    return SheetNames.model_validate(all_of(file, done.value))

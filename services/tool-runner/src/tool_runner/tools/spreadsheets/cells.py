"""Tools that read and write cells."""

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from agent_contracts.errors import Rejected
from agent_tools.tool import PURE, RECORDED, Result, tool
from tool_runner.agent.file_documents import FileDocuments, FileJob
from tool_runner.documents.sheets import options
from tool_runner.documents.sheets.options import OfCell, ReadCells, SetFilter, WriteCells
from tool_runner.tools.spreadsheets.shapes import (
    Cell,
    FilteredSheet,
    SheetArguments,
    TextTable,
    ToSheet,
    Value,
    WrittenSheet,
    all_of,
)


class AutoFilter(ToSheet):
    """Where, and of what."""

    range: Annotated[str | None, Field(description="With its headers. Default: all.")] = None
    column: Annotated[str | None, Field(pattern=r"^[A-Za-z]{1,3}$", description="B")] = None
    values: Annotated[tuple[str, ...], Field(description="Show only rows with one of these.")] = ()
    remove: Annotated[bool, Field(description="Take the filter away.")] = False

    @model_validator(mode="after")
    def _of_a_column(self) -> Self:
        if (self.column is None) != (not self.values):
            raise ValueError("column and values belong together")
        return self


@tool("spreadsheet_auto_filter", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_auto_filter(args: AutoFilter, documents: FileDocuments) -> FilteredSheet:
    """Put filter buttons on the headers of a table in a workbook, or take them away.

    Values are as spreadsheet_read_range gives them."""
    change = SetFilter(
        sheet=args.sheet,
        range=args.range,
        remove=args.remove,
        column=args.column,
        values=args.values,
    )
    file, said = await documents.write(args.place(), args.work("sheets.filter", change))
    return FilteredSheet(**all_of(file, said))


class ReadOneCell(SheetArguments):
    """Which cell."""

    cell: Cell


class CellRead(Result):
    """Its value (of a formula: the last one stored, null if never computed) and the comment on it."""

    table: TextTable | None
    sheet: str
    cell: str
    value: JsonValue
    formula: str | None
    comment: str | None


@tool("spreadsheet_read_cell", family="spreadsheets", effect=PURE, timeout_s=40)
async def spreadsheet_read_cell(args: ReadOneCell, documents: FileDocuments) -> CellRead:
    """Read one cell of a workbook or .csv: its value and formula."""
    _, done = await documents.read(
        args.ref, FileJob("sheets.cell", OfCell(args.sheet, args.cell, args.table))
    )
    return CellRead.model_validate(done.value)


class ReadRange(SheetArguments):
    """Which cells."""

    range: Annotated[str | None, Field(description="A1:D50, A:C, 2:7. Default: all.")] = None
    max_cells: Annotated[int, Field(ge=1, le=1_000_000, description="Whole rows up to so many.")] = 5_000


class CellsRead(Result):
    """The rows of `range`. `next_range`, where given, is the rest; `problem`: why rows may be missing;
    `left_out`: what is in the workbook beside these cells."""

    left_out: list[str]
    table: TextTable | None
    sheet: str
    range: str | None
    rows: list[list[JsonValue]]
    formulas: dict[str, str]
    comments: dict[str, str]
    next_range: str | None
    problem: str | None


@tool("spreadsheet_read_range", family="spreadsheets", effect=PURE, timeout_s=40)
async def spreadsheet_read_range(args: ReadRange, documents: FileDocuments) -> CellsRead:
    """Read cells of a workbook or .csv as rows of values; dates are ISO 8601.
    Numbers of a .csv stay texts in columns where one would lose its form (1.10, 007).

    A formula stands in `formulas`; its value is the one that was last stored, null if it was never computed:
    nothing is computed here."""
    options = ReadCells(args.sheet, args.range, args.max_cells, args.table)
    _, done = await documents.read(args.ref, FileJob("sheets.read", options))
    return CellsRead.model_validate(done.value)


Color = Annotated[str, Field(pattern=r"^#?[0-9A-Fa-f]{6}$")]


class SetFormat(ToSheet):
    """Which cells, and what changes."""

    range: Annotated[str, Field(description="A1:D50, A:C, 2:7.")]
    number_format: Annotated[str | None, Field(min_length=1, max_length=255, description="#,##0.00")] = None
    bold: Annotated[bool | None, Field(description="Or not.")] = None
    italic: Annotated[bool | None, Field(description="Or not.")] = None
    font_size: Annotated[float | None, Field(ge=1, le=409, description="In points.")] = None
    font_color: Annotated[Color | None, Field(description="RRGGBB.")] = None
    fill_color: Annotated[Color | None, Field(description="RRGGBB.")] = None
    align: Literal["left", "center", "right"] | None = None
    wrap: Annotated[bool | None, Field(description="Long text over several lines.")] = None
    width: Annotated[float | None, Field(gt=0, le=255, description="Of the columns, in characters.")] = None


@tool("spreadsheet_set_format", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_set_format(args: SetFormat, documents: FileDocuments) -> WrittenSheet:
    """Change how cells of a workbook look: number format, font, colours, alignment, column width.

    What isn't given stays."""
    given = args.model_dump(include=set(SetFormat.model_fields) - set(ToSheet.model_fields))
    change = options.FormatChange(sheet=args.sheet, **given)
    file, said = await documents.write(args.place(), args.work("sheets.format", change))
    return WrittenSheet(**all_of(file, said))


class WriteCell(ToSheet):
    """What, and where."""

    cell: Cell
    value: Annotated[Value, Field(description="null empties it.")]


@tool("spreadsheet_write_cell", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_write_cell(args: WriteCell, documents: FileDocuments) -> WrittenSheet:
    """Write one cell of a workbook, as `spreadsheet_write_range` does; a path that doesn't exist is made."""
    change = WriteCells(sheet=args.sheet, range=args.cell, values=((args.value,),))
    try:
        file, said = await documents.write(args.place(may_be_new=True), args.work("sheets.write", change))
    except Rejected as error:  # the job has a range of values, this tool one of each
        path = {"/range": "/cell", "/values/0/0": "/value"}.get(error.path or "", error.path)
        raise Rejected(error.message, kind=error.kind, path=path) from error
    return WrittenSheet(**all_of(file, said))


class WriteRange(ToSheet):
    """What, and where."""

    range: Annotated[
        str | None, Field(description="First cell (A1) or range. Default: below the last used row.")
    ] = None
    values: Annotated[list[list[Value]], Field(min_length=1, description="Rows.")]


@tool("spreadsheet_write_range", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_write_range(args: WriteRange, documents: FileDocuments) -> WrittenSheet:
    """Write rows of values into a workbook; a path ending in .xlsx that doesn't exist becomes a new one.

    Text that begins with = is a formula (kept, not computed), an ISO date a date; a leading ' keeps any text
    as it is. null empties a cell."""
    change = WriteCells(sheet=args.sheet, range=args.range, values=tuple(map(tuple, args.values)))
    file, said = await documents.write(args.place(may_be_new=True), args.work("sheets.write", change))
    return WrittenSheet(**all_of(file, said))

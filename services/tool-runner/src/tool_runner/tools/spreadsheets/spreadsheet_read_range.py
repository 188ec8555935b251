"""`spreadsheet_read_range`: the values of cells."""

from typing import Annotated

from pydantic import Field, JsonValue

from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.sheets.options import ReadCells
from tool_runner.tools.spreadsheets.sheet_arguments import OfSheet
from tool_runner.tools.spreadsheets.sheet_results import TextTable


class ReadRange(OfSheet):
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
    _, done = await documents.read(args.ref, Work("sheets.read", options))
    return CellsRead.model_validate(done.value)

"""`spreadsheet_get_sheet_summary`: what a sheet holds, in short."""

from pydantic import JsonValue

from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.sheets import options
from tool_runner.tools.spreadsheets.sheet_arguments import OfSheet
from tool_runner.tools.spreadsheets.sheet_results import TextTable


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
async def spreadsheet_get_sheet_summary(args: OfSheet, documents: FileDocuments) -> SheetSummary:
    """What a sheet holds: its size, its columns and their kinds of values, its first rows."""
    _, done = await documents.read(args.ref, Work("sheets.summary", options.OfSheet(args.sheet, args.table)))
    return SheetSummary.model_validate(done.value)

"""`spreadsheet_read_cell`: what one cell holds."""

from pydantic import JsonValue

from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.sheets.options import OfCell
from tool_runner.tools.spreadsheets.sheet_arguments import Cell, OfSheet
from tool_runner.tools.spreadsheets.sheet_results import TextTable


class ReadOneCell(OfSheet):
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
    _, done = await documents.read(args.ref, Work("sheets.cell", OfCell(args.sheet, args.cell, args.table)))
    return CellRead.model_validate(done.value)

"""`spreadsheet_insert_rows`: rows of a sheet more."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets.options import ChangeRows
from tool_runner.tools.spreadsheets.sheet_arguments import Row, ToSheet
from tool_runner.tools.spreadsheets.sheet_results import WrittenRows, all_of


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

"""`spreadsheet_delete_rows`: rows of a sheet less."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets.options import ChangeRows
from tool_runner.tools.spreadsheets.sheet_arguments import Row, ToSheet
from tool_runner.tools.spreadsheets.sheet_results import WrittenRows, all_of


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

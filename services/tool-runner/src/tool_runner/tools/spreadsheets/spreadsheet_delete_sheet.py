"""`spreadsheet_delete_sheet`: a sheet less."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets.options import Change
from tool_runner.tools.spreadsheets.sheet_arguments import ToSheet
from tool_runner.tools.spreadsheets.sheet_results import WrittenSheets, all_of


class DeleteSheet(ToSheet):
    """Which."""

    sheet: Annotated[str, Field(min_length=1, description="Its name.")]


@tool("spreadsheet_delete_sheet", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_delete_sheet(args: DeleteSheet, documents: FileDocuments) -> WrittenSheets:
    """Delete a sheet of a workbook. Formulas of other sheets that mean it are left as they are."""
    file, said = await documents.write(
        args.place(), args.work("sheets.delete_sheet", Change(sheet=args.sheet))
    )
    return WrittenSheets(**all_of(file, said))

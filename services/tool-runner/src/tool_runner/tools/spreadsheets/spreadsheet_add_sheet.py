"""`spreadsheet_add_sheet`: an empty sheet more."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets import options
from tool_runner.tools.spreadsheets.sheet_arguments import Row, ToSheet
from tool_runner.tools.spreadsheets.sheet_results import WrittenSheets, all_of


class AddSheet(ToSheet):
    """What it is called, and where it goes."""

    sheet: Annotated[str, Field(min_length=1, description="Its name, at most 31 characters.")]
    position: Annotated[Row | None, Field(description="1 is the first. Default: the last.")] = None


@tool("spreadsheet_add_sheet", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_add_sheet(args: AddSheet, documents: FileDocuments) -> WrittenSheets:
    """Add an empty sheet to a workbook; a path ending in .xlsx that doesn't exist becomes a new one."""
    change = options.AddSheet(sheet=args.sheet, position=args.position)
    file, said = await documents.write(args.place(may_be_new=True), args.work("sheets.add_sheet", change))
    return WrittenSheets(**all_of(file, said))

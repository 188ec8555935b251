"""`spreadsheet_write_range`: values into cells."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets.options import WriteCells
from tool_runner.tools.spreadsheets.sheet_arguments import ToSheet, Value
from tool_runner.tools.spreadsheets.sheet_results import WrittenSheet, all_of


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

"""`spreadsheet_write_cell`: a value into one cell."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import Rejected
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets.options import WriteCells
from tool_runner.tools.spreadsheets.sheet_arguments import Cell, ToSheet, Value
from tool_runner.tools.spreadsheets.sheet_results import WrittenSheet, all_of


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

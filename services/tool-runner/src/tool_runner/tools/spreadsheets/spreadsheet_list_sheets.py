"""`spreadsheet_list_sheets`: which sheets there are."""

from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_arguments import OfFile
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.sheets.options import OfWorkbook
from tool_runner.tools.spreadsheets.sheet_results import TextTable, all_of


class SheetName(Result):
    """A sheet: `state` is visible or hidden, `used` the range with something in it, `problem` why not all of
    it can be read."""

    name: str
    state: str
    used: str | None
    comments: int
    problem: str | None


class SheetNames(Result):
    """The workbook and its sheets, in order; `left_out` says what is in it beside cells."""

    file_id: str
    path: str
    version: int
    size: int
    left_out: list[str]
    table: TextTable | None
    sheets: list[SheetName]


@tool("spreadsheet_list_sheets", family="spreadsheets", effect=PURE, timeout_s=40)
async def spreadsheet_list_sheets(args: OfFile, documents: FileDocuments) -> SheetNames:
    """List the sheets of a workbook (.xlsx, .xls, .ods; .csv and .tsv are one sheet), and how much of each is
    used."""
    file, done = await documents.read(args.ref, Work("sheets.list", OfWorkbook()))
    return SheetNames.model_validate(all_of(file, done.value))

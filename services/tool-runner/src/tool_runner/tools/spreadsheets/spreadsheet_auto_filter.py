"""`spreadsheet_auto_filter`: a filter over a table."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets.options import SetFilter
from tool_runner.tools.spreadsheets.sheet_arguments import ToSheet
from tool_runner.tools.spreadsheets.sheet_results import FilteredSheet, all_of


class AutoFilter(ToSheet):
    """Where, and of what."""

    range: Annotated[str | None, Field(description="With its headers. Default: all.")] = None
    column: Annotated[str | None, Field(pattern=r"^[A-Za-z]{1,3}$", description="B")] = None
    values: Annotated[tuple[str, ...], Field(description="Show only rows with one of these.")] = ()
    remove: Annotated[bool, Field(description="Take the filter away.")] = False

    @model_validator(mode="after")
    def _of_a_column(self) -> Self:
        if (self.column is None) != (not self.values):
            raise ValueError("column and values belong together")
        return self


@tool("spreadsheet_auto_filter", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_auto_filter(args: AutoFilter, documents: FileDocuments) -> FilteredSheet:
    """Put filter buttons on the headers of a table in a workbook, or take them away.

    Values are as spreadsheet_read_range gives them."""
    change = SetFilter(
        sheet=args.sheet,
        range=args.range,
        remove=args.remove,
        column=args.column,
        values=args.values,
    )
    file, said = await documents.write(args.place(), args.work("sheets.filter", change))
    return FilteredSheet(**all_of(file, said))

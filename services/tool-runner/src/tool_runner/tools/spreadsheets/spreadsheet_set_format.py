"""`spreadsheet_set_format`: how cells look."""

from typing import Annotated, Literal

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments
from tool_runner.documents.sheets import options
from tool_runner.tools.spreadsheets.sheet_arguments import ToSheet
from tool_runner.tools.spreadsheets.sheet_results import WrittenSheet, all_of

Color = Annotated[str, Field(pattern=r"^#?[0-9A-Fa-f]{6}$")]


class SetFormat(ToSheet):
    """Which cells, and what changes."""

    range: Annotated[str, Field(description="A1:D50, A:C, 2:7.")]
    number_format: Annotated[str | None, Field(min_length=1, max_length=255, description="#,##0.00")] = None
    bold: Annotated[bool | None, Field(description="Or not.")] = None
    italic: Annotated[bool | None, Field(description="Or not.")] = None
    font_size: Annotated[float | None, Field(ge=1, le=409, description="In points.")] = None
    font_color: Annotated[Color | None, Field(description="RRGGBB.")] = None
    fill_color: Annotated[Color | None, Field(description="RRGGBB.")] = None
    align: Literal["left", "center", "right"] | None = None
    wrap: Annotated[bool | None, Field(description="Long text over several lines.")] = None
    width: Annotated[float | None, Field(gt=0, le=255, description="Of the columns, in characters.")] = None


@tool("spreadsheet_set_format", family="spreadsheets", effect=RECORDED, timeout_s=60)
async def spreadsheet_set_format(args: SetFormat, documents: FileDocuments) -> WrittenSheet:
    """Change how cells of a workbook look: number format, font, colours, alignment, column width.

    What isn't given stays."""
    given = args.model_dump(include=set(SetFormat.model_fields) - set(ToSheet.model_fields))
    change = options.SetFormat(sheet=args.sheet, **given)
    file, said = await documents.write(args.place(), args.work("sheets.format", change))
    return WrittenSheet(**all_of(file, said))

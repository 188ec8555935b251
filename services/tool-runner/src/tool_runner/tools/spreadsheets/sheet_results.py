"""What tools for sheets return."""

from typing import Any

from pydantic import Field

from agent_contracts.json_value import Json
from agent_domain.files.file import File
from agent_tools.tool import Result
from tool_runner.agent.file_arguments import WrittenFile, about


class TextTable(Result):
    """How the columns of a table of text were told apart: `from` the rows, its own sep= line, or arguments.
    `delimiter` is null for one column, `quote` null where quotes mean nothing."""

    delimiter: str | None
    quote: str | None
    from_: str = Field(alias="from")
    columns: int


class WrittenSheet(WrittenFile):
    """The workbook, and which cells were written or changed. `notes` say what to know of it."""

    sheet: str
    range: str | None
    notes: list[str]


class WrittenSheets(WrittenFile):
    """The workbook, and its sheets in order."""

    sheets: list[str]
    notes: list[str]


class WrittenRows(WrittenFile):
    """The workbook, and up to which row the sheet is used."""

    sheet: str
    rows: int
    notes: list[str]


class FilteredSheet(WrittenSheet):
    """How many rows the filter hides, too."""

    hidden: int


def all_of(file: File, said: Json) -> dict[str, Any]:
    """The file, and what the job said of it."""
    assert isinstance(said, dict)
    return {**about(file), **said}

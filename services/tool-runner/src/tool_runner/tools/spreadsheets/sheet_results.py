"""What tools for sheets return."""

from typing import Any

from agent_contracts.json_value import Json
from agent_domain.files.file import File
from tool_runner.agent.file_arguments import WrittenFile, about


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

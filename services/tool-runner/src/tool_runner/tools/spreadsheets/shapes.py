"""What several tools of spreadsheets take and give."""

from typing import Annotated, Any, Literal, Self

import msgspec
from pydantic import Field, model_validator

from agent_contracts.json_value import Json
from agent_domain.files.file import File
from agent_tools.tool import Result
from tool_runner.agent.file_arguments import OfFile, ToFile, WrittenFile, about
from tool_runner.agent.file_documents import FileJob, OutputTarget
from tool_runner.documents.sheets.options import SheetChange, TableOptions

ENDING = ".xlsx"
Cell = Annotated[str, Field(min_length=2, max_length=14, pattern=r"^\$?[A-Za-z]+\$?\d+$", description="B2")]
Row = Annotated[int, Field(ge=1, description="From 1.")]
Value = str | int | float | bool | None


class SheetArguments(OfFile):
    """A sheet of a workbook."""

    sheet: Annotated[str | None, Field(description="Its name. Default: the first.")] = None
    delimiter: Annotated[
        str | None,
        Field(min_length=1, max_length=1, description="Of a .csv. Default: the one that most rows fit."),
    ] = None
    quote: Annotated[Literal['"', "'", "none"] | None, Field(description="Around its fields.")] = None

    @property
    def table(self) -> TableOptions:
        """How a table of text is to be read."""
        return TableOptions(self.delimiter, self.quote)


class ToSheet(ToFile):
    """A sheet to be changed."""

    sheet: Annotated[str | None, Field(description="Its name. Default: the first.")] = None
    drop_unsupported: Annotated[
        bool, Field(description="Go on though charts, pivot tables, shapes or macros get lost.")
    ] = False

    @model_validator(mode="after")
    def _a_workbook(self) -> Self:
        if self.output_path is not None and not self.output_path.lower().endswith(ENDING):
            raise ValueError(f"output_path must end in {ENDING}")
        return self

    def place(self, *, may_be_new: bool = False) -> OutputTarget:
        """Where to write; with `may_be_new`, also a workbook that doesn't exist."""
        return self.target(may_be_new=may_be_new and (self.path or "").lower().endswith(ENDING))

    def work(self, job: str, change: SheetChange) -> FileJob:
        """The job on this workbook."""
        new_file = self.output_path is not None
        return FileJob(job, msgspec.structs.replace(change, drop=self.drop_unsupported, new_file=new_file))


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

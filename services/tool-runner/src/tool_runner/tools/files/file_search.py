"""`file_search`: where something stands."""

from typing import Annotated

from pydantic import Field

from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.agent.files.searching import FileSearch, Query


class FileSearchArguments(Arguments):
    """What to look for, and where."""

    query: Annotated[str, Field(min_length=1, max_length=1000, description="Literal text.")]
    regex: Annotated[bool, Field(description="query is a regular expression for single lines.")] = False
    ignore_case: Annotated[bool, Field(description="A is a.")] = False
    paths: Annotated[
        list[str],
        Field(max_length=100, description="Patterns such as reports/*.csv; else all.", default_factory=list),
    ]


class Match(Result):
    """A line that has it."""

    file_id: str
    path: str
    line: int
    text: str


class Skipped(Result):
    """A file that could not be searched."""

    path: str
    why: str


class NotSearched(Result):
    """A file with more in it than the text that was searched."""

    path: str
    what: str


class Found(Result):
    """The lines, by file. `left_out` says what of the files could not be searched. `truncated`: there may be
    more, name `paths` to look further."""

    left_out: list[NotSearched]
    matches: list[Match]
    files_searched: int
    skipped: list[Skipped]
    truncated: bool


@tool("file_search", family="files", effect=PURE, timeout_s=150)
async def file_search(args: FileSearchArguments, files: AgentFiles, search: FileSearch) -> Found:
    """Search the text of files: of up to 50, for up to 100 lines. PDFs, documents and sheets, too."""
    query = Query(args.query, regex=args.regex, ignore_case=args.ignore_case)
    found = await search.search(await files.list(), query, args.paths)
    return Found(
        left_out=[NotSearched(path=path, what=what) for path, what in found.left_out],
        matches=[
            Match(file_id=one.file.file_id, path=one.file.path, line=one.line, text=one.text)
            for one in found.matches
        ],
        files_searched=found.searched,
        skipped=[Skipped(path=path, why=why) for path, why in found.skipped],
        truncated=found.truncated,
    )

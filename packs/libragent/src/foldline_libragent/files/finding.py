"""Tools that find files."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.files.paths import below, fits, folder_path, require_folder
from foldline_libragent.files.shapes import MOST_LISTED, Folder, ListedEntry, listed


class ListDirectory(Arguments):
    """Which folder."""

    path: Annotated[str, Field(max_length=1_000, description="Relative to the workspace; . is all of it.")]
    filter: Annotated[
        str | None, Field(min_length=1, max_length=500, description="Names that fit, such as *.py.")
    ] = None


class DirectoryListing(Result):
    """What is in it, by name, folders first. `truncated` after 1,000."""

    path: str
    entries: list[ListedEntry]
    truncated: bool


@tool("list_directory", family="files", effect=PURE, alias_of=CoreTool("file_list", "files"))
async def list_directory(args: ListDirectory, files: AgentFiles) -> DirectoryListing:
    """List the files and folders in a folder of the workspace."""
    folder, known = folder_path(args.path), await files.list()
    require_folder(known, folder)
    found = [one for one in below(known, folder, 1) if args.filter is None or fits(one, args.filter, folder)]
    entries = sorted(found, key=lambda one: (not one.is_folder, one.name))
    return DirectoryListing(
        path=folder or ".",
        entries=listed(entries),
        truncated=len(entries) > MOST_LISTED,
    )


_DEEPEST = 100


class SearchFiles(Arguments):
    """What they are called, and where they are."""

    pattern: Annotated[str, Field(min_length=1, max_length=500, description="Such as *.py or src/*.md.")]
    path: Folder = None
    max_depth: Annotated[int | None, Field(ge=1, le=_DEEPEST, description="Levels of folders.")] = None
    file_type: Literal["file", "dir", "both"] = "both"


class FoundFiles(Result):
    """By path. `truncated` after 1,000."""

    matches: list[ListedEntry]
    truncated: bool


@tool("search_files", family="files", effect=PURE, alias_of=CoreTool("file_list", "files"))
async def search_files(args: SearchFiles, files: AgentFiles) -> FoundFiles:
    """Find files and folders of the workspace by a pattern of their names."""
    folder, known = folder_path(args.path), await files.list()
    require_folder(known, folder)
    wanted = {"file": (False,), "dir": (True,), "both": (False, True)}[args.file_type]
    found = [
        one
        for one in below(known, folder, args.max_depth or _DEEPEST)
        if one.is_folder in wanted and fits(one, args.pattern, folder)
    ]
    return FoundFiles(
        matches=listed(found),
        truncated=len(found) > MOST_LISTED,
    )

"""`list_directory`: what is in a folder."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.files.paths import below, fits, folder_path, require_folder
from foldline_libragent.files.shapes import MOST_LISTED, Listed, listed


class ListDirectory(Arguments):
    """Which folder."""

    path: Annotated[str, Field(max_length=1_000, description="Relative to the workspace; . is all of it.")]
    filter: Annotated[
        str | None, Field(min_length=1, max_length=500, description="Names that fit, such as *.py.")
    ] = None


class Directory(Result):
    """What is in it, by name, folders first. `truncated` after 1,000."""

    path: str
    entries: list[Listed]
    truncated: bool


@tool("list_directory", family="files", effect=PURE, alias_of=CoreTool("file_list", "files"))
async def list_directory(args: ListDirectory, files: AgentFiles) -> Directory:
    """List the files and folders in a folder of the workspace."""
    folder, known = folder_path(args.path), await files.list()
    require_folder(known, folder)
    found = [one for one in below(known, folder, 1) if args.filter is None or fits(one, args.filter, folder)]
    entries = sorted(found, key=lambda one: (not one.is_folder, one.name))
    return Directory(
        path=folder or ".",
        entries=listed(entries),
        truncated=len(entries) > MOST_LISTED,
    )

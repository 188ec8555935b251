"""`export_file`: hand a file to the person."""

from typing import Annotated

from pydantic import Field

from agent_domain.files.file import FileRef
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import Path, WrittenFile

DisplayName = Annotated[str | None, Field(min_length=1, max_length=200, description="Its title.")]
Description = Annotated[str | None, Field(min_length=1, max_length=1_000, description="What it is.")]


class ExportFile(Arguments):
    """Which file, and what is said of it."""

    path: Path
    display_name: DisplayName = None
    description: Description = None


class Exported(WrittenFile):
    """The file that the person is shown a card of, to open or download it."""

    media_type: str
    display_name: str
    description: str


@tool("export_file", family="files", effect=RECORDED)
async def export_file(args: ExportFile, files: AgentFiles) -> Exported:
    """Show the person a card with a file of the workspace, to download it."""
    file = await files.find(FileRef(path=file_path(args.path)))
    return Exported(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        size=file.size,
        media_type=file.media_type,
        display_name=storable_text(args.display_name or file.path.rpartition("/")[2]),
        description=storable_text(args.description or ""),
    )

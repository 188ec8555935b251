"""`export_file`: hand a file to the person, as it is or in another format."""

import tempfile
from typing import Annotated, Literal

from pydantic import Field

from agent_domain.files.file import Content, File, FileRef
from agent_platform.log.storable_text import storable_text
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles, TextFiles
from agent_tools.ports.running import Compute
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.files.formats import Format, converted, has
from foldline_libragent.files.packing import pack
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import Path, WrittenFile

DisplayName = Annotated[str | None, Field(min_length=1, max_length=200, description="Its title.")]
Description = Annotated[str | None, Field(min_length=1, max_length=1_000, description="What it is.")]


class ExportFile(Arguments):
    """Which file, in which format, and what is said of it."""

    path: Path
    format: Annotated[
        Format | Literal["zip"] | None, Field(description="Another format; left out, the file as it is.")
    ] = None
    display_name: DisplayName = None
    description: Description = None


class Exported(WrittenFile):
    """The file that the person is shown a card of, to open or download it."""

    media_type: str
    display_name: str
    description: str


@tool("export_file", family="files", effect=RECORDED, timeout_s=120)
async def export_file(args: ExportFile, files: AgentFiles, texts: TextFiles, compute: Compute) -> Exported:
    """Show the person a card with a file of the workspace, to download it. In another `format`, it is a new
    file in exports/: tables (csv, json) as csv, json, md or html, pages as md or txt, other texts as
    html, md or txt, anything as zip."""
    file = await files.find(FileRef(path=file_path(args.path)))
    if args.format is not None and (args.format == "zip" or not has(file.path, args.format)):
        file = await _in_format(args.format, file, files, texts, compute)
    return Exported(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        size=file.size,
        media_type=file.media_type,
        display_name=storable_text(args.display_name or file.path.rpartition("/")[2]),
        description=storable_text(args.description or ""),
    )


async def _in_format(
    wanted: Format | Literal["zip"], file: File, files: AgentFiles, texts: TextFiles, compute: Compute
) -> File:
    name = file.path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    path = f"exports/{stem}.{wanted}"
    if wanted == "zip":
        with tempfile.TemporaryFile() as archive:
            await pack(archive, [file], files, compute)
            archive.seek(0)
            return await create_at_free_path(files, path, await files.store(path, archive, "tool"))
    said = await texts.read(file)
    made = await compute.run(lambda: converted(file.path, said, wanted))
    return await create_at_free_path(files, path, Content(made.encode(), made_from=file.file_id))

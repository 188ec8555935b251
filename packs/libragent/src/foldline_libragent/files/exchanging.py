"""Tools that bring files in and out."""

import re
import tempfile
import zipfile
from collections.abc import Sequence
from typing import Annotated, BinaryIO, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import LARGEST_FILE
from agent_contracts.tool_spec import CoreTool
from agent_domain.files.file import File, FileContent, FileRef
from agent_platform.log.storable_text import storable_text
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles, TextFiles
from agent_tools.ports.running import Compute, OtherTools
from agent_tools.tool import EXTERNAL, RECORDED, Arguments, tool
from foldline_libragent.files.formats import Format, converted, has
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import LibragentWrittenFile, Path
from foldline_libragent.running_core import ran

_TIME = (1980, 1, 1, 0, 0, 0)


async def pack(archive: BinaryIO, found: Sequence[File], files: AgentFiles, compute: Compute) -> None:
    """With one time for all, so that equal files make equal packages."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as package:
        for file in found:
            data = await files.read(file)
            entry = zipfile.ZipInfo(file.path, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED

            def add(entry: zipfile.ZipInfo = entry, data: bytes = data) -> None:
                package.writestr(entry, data)

            await compute.run(add)


_ID = re.compile(r"f_[0-9a-f]{20}")


class ImportFile(Arguments):
    """From where to where."""

    source: Annotated[str, Field(min_length=1, max_length=8_000, description="A file's id, or https://…")]
    dest_rel_path: Annotated[str, Field(min_length=1, max_length=1_000, description="In the workspace.")]


@tool(
    "import_file", family="files", effect=EXTERNAL, timeout_s=150, alias_of=CoreTool("file_download", "files")
)
async def import_file(args: ImportFile, tools: OtherTools) -> LibragentWrittenFile:
    """Bring a file into the workspace: one that an id names, such as an upload, or one from the web."""
    path = file_path(args.dest_rel_path, "/dest_rel_path")
    names = {"file_id": "source", "url": "source", "path": "dest_rel_path", "new_path": "dest_rel_path"}
    if _ID.fullmatch(args.source):
        copied = await ran(tools, "file_copy", {"file_id": args.source, "new_path": path}, **names)
        return _file(copied)
    if not args.source.lower().startswith("https://"):
        raise Rejected(
            "give the id of a file (f_…) or an address that begins with https://: paths of this machine "
            "can't be read",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/source",
        )
    names = {"url": "source", "path": "dest_rel_path"}
    return _file(await ran(tools, "file_download", {"url": args.source, "path": path}, **names))


def _file(result: dict[str, object]) -> LibragentWrittenFile:
    return LibragentWrittenFile.model_validate(
        {name: result[name] for name in LibragentWrittenFile.model_fields}
    )


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


class ExportedFile(LibragentWrittenFile):
    """The file that the person is shown a card of, to open or download it."""

    media_type: str
    display_name: str
    description: str


@tool("export_file", family="files", effect=RECORDED, timeout_s=120)
async def export_file(
    args: ExportFile, files: AgentFiles, texts: TextFiles, compute: Compute
) -> ExportedFile:
    """Show the person a card with a file of the workspace, to download it. In another `format`, it is a new
    file in exports/: tables (csv, json) as csv, json, md or html, pages as md or txt, other texts as
    html, md or txt, anything as zip."""
    file = await files.find(FileRef(path=file_path(args.path)))
    if args.format is not None and (args.format == "zip" or not has(file.path, args.format)):
        file = await _in_format(args.format, file, files, texts, compute)
    return ExportedFile(
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
    return await create_at_free_path(files, path, FileContent(made.encode(), made_from=file.file_id))


MOST_FILES = 500
LARGEST = 200_000_000
"""Bytes of all files together, before they are packed."""
_UNWANTED = re.compile(r"[^\w .-]+")


class ExportZip(Arguments):
    """Which files, and what the package is called."""

    files: Annotated[list[Path], Field(min_length=1, max_length=MOST_FILES, description="Their paths.")]
    package_name: Annotated[str | None, Field(min_length=1, max_length=100)] = None
    description: Description = None


@tool("export_zip", family="files", effect=RECORDED, timeout_s=120)
async def export_zip(args: ExportZip, files: AgentFiles, compute: Compute) -> ExportedFile:
    """Pack files of the workspace into a zip archive, and show the person a card to download it."""
    paths = dict.fromkeys(file_path(path, f"/files/{place}") for place, path in enumerate(args.files))
    found = [await files.find(FileRef(path=path)) for path in paths]
    size = sum(file.size for file in found)
    if size > LARGEST:
        message = f"the files have {size:,} bytes together: a package holds at most {LARGEST:,}"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE, path="/files")
    name = _UNWANTED.sub("_", (args.package_name or "package").removesuffix(".zip")).strip(" .") or "package"
    with tempfile.TemporaryFile() as archive:
        await pack(archive, found, files, compute)
        if archive.tell() > LARGEST_FILE:
            message = f"the package has more than {LARGEST_FILE:,} bytes, the most that a file may have"
            raise Rejected(message, kind=ErrorKind.TOO_LARGE, path="/files")
        archive.seek(0)
        path = f"exports/{storable_text(name)}.zip"
        file = await create_at_free_path(files, path, await files.store(path, archive, "tool"))
    return ExportedFile(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        size=file.size,
        media_type=file.media_type,
        display_name=file.path.rpartition("/")[2],
        description=storable_text(
            args.description or ("1 file" if len(found) == 1 else f"{len(found)} files")
        ),
    )

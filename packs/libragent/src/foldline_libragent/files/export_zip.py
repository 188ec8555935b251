"""`export_zip`: hand several files to the person, as one."""

import re
import tempfile
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.files import LARGEST_FILE
from agent_domain.files.file import FileRef
from agent_platform.log.storable_text import storable_text
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.running import Compute
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.files.export_file import Description, Exported
from foldline_libragent.files.packing import pack
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import Path

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
async def export_zip(args: ExportZip, files: AgentFiles, compute: Compute) -> Exported:
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
    return Exported(
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

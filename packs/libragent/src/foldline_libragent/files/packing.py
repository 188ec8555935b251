"""Zip archives of files."""

import zipfile
from collections.abc import Sequence
from typing import BinaryIO

from agent_domain.files.file import File
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.running import Compute

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

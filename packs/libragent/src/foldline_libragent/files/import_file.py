"""`import_file`: from the web, or another place of the agent's, into the workspace."""

import re
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import WrittenFile
from foldline_libragent.running_core import ran

_ID = re.compile(r"f_[0-9a-f]{20}")


class ImportFile(Arguments):
    """From where to where."""

    source: Annotated[str, Field(min_length=1, max_length=8_000, description="A file's id, or https://…")]
    dest_rel_path: Annotated[str, Field(min_length=1, max_length=1_000, description="In the workspace.")]


@tool(
    "import_file", family="files", effect=EXTERNAL, timeout_s=150, alias_of=CoreTool("file_download", "files")
)
async def import_file(args: ImportFile, tools: OtherTools) -> WrittenFile:
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


def _file(result: dict[str, object]) -> WrittenFile:
    return WrittenFile.model_validate({name: result[name] for name in WrittenFile.model_fields})

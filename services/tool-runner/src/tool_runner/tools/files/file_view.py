"""`file_view`: a picture, for a model that sees."""

from typing import Annotated, Any, cast

from pydantic import Field

from agent_contracts.errors import Rejected
from agent_contracts.pictures import SEEN_TYPES
from agent_tools.pictures import PictureFile
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, tool
from tool_runner.agent.file_arguments import OfFile
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import Job


class FileView(OfFile):
    """Which picture."""

    version: Annotated[int | None, Field(ge=1, description="An earlier one.")] = None


@tool("file_view", family="files", effect=PURE)
async def file_view(args: FileView, files: AgentFiles, documents: Documents) -> PictureFile:
    """Look at a picture: PNG, JPEG, GIF or WebP."""
    file = await files.find(args.ref, args.version)
    if file.media_type not in SEEN_TYPES:
        raise Rejected(f"{file.path} is {file.media_type}, not a picture that can be shown", path="/path")
    found = (await documents.run(Job("images.about", (await files.read(file),)))).value
    about = cast(dict[str, Any], found)
    return PictureFile(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        media_type=file.media_type,
        size=file.size,
        width=about["width"],
        height=about["height"],
        sha256=file.blob,
        caption=f"{file.path}: {about['format']}, {about['width']} × {about['height']} pixels",
    )

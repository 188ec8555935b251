"""`file_view`: a picture, for a model that sees."""

from typing import Annotated, Any, cast

from pydantic import Field

from agent_contracts.errors import Rejected
from agent_contracts.pictures import SEEN_TYPES, Picture
from agent_tools.ports import AgentFiles
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_arguments import OfFile
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import Job


class FileView(OfFile):
    """Which picture."""

    version: Annotated[int | None, Field(ge=1, description="An earlier one.")] = None


class ViewedPicture(Result):
    """The picture that a model that sees is shown; another one reads the `caption`."""

    file_id: str
    path: str
    version: int
    media_type: str
    size: int
    width: int
    height: int
    sha256: str
    caption: str

    def shown_pictures(self) -> tuple[Picture, ...]:
        """The picture itself."""
        return (Picture(self.sha256, self.media_type, self.size, self.path),)


@tool("file_view", family="files", effect=PURE, source="file")
async def file_view(args: FileView, files: AgentFiles, documents: Documents) -> ViewedPicture:
    """Look at a picture: PNG, JPEG, GIF or WebP."""
    file = await files.find(args.ref, args.version)
    if file.media_type not in SEEN_TYPES:
        raise Rejected(f"{file.path} is {file.media_type}, not a picture that can be shown", path="/path")
    found = (await documents.run(Job("images.about", (await files.read(file),)))).value
    about = cast(dict[str, Any], found)
    return ViewedPicture(
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

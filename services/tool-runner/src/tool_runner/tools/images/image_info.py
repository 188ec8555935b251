"""`image_info`: what an image is."""

from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_arguments import OfFile, about
from tool_runner.agent.file_documents import FileDocuments, Work


class ImageInfo(Result):
    """The file, and the image as it is shown; `frames` are more than one where it moves."""

    file_id: str
    path: str
    version: int
    size: int
    width: int
    height: int
    format: str
    mode: str
    transparent: bool
    frames: int
    dpi: int | None


@tool("image_info", family="images", effect=PURE, timeout_s=40)
async def image_info(args: OfFile, documents: FileDocuments) -> ImageInfo:
    """What an image is: width and height in pixels, format, whether it moves or can be seen through."""
    file, done = await documents.read(args.ref, Work("images.about"))
    assert isinstance(done.value, dict)
    return ImageInfo.model_validate({**about(file), **done.value})

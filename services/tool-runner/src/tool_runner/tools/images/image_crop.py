"""`image_crop`: a part of an image."""

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.images.options import Crop
from tool_runner.tools.images.image_arguments import (
    FromLeft,
    FromTop,
    Pixels,
    ToImage,
    WrittenImage,
    image_of,
)


class ImageCrop(ToImage):
    """What is left."""

    x: FromLeft
    y: FromTop
    width: Pixels
    height: Pixels


@tool("image_crop", family="images", effect=RECORDED, timeout_s=60)
async def image_crop(args: ImageCrop, documents: FileDocuments) -> WrittenImage:
    """Crop an image to the part whose top left is at x, y."""
    options = Crop(form=args.form, x=args.x, y=args.y, width=args.width, height=args.height)
    return image_of(*await documents.write(args.target(), Work("images.crop", options)))

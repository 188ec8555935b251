"""`image_convert`: an image in another format."""

from typing import Annotated

import msgspec
from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.images.options import Convert, Form
from tool_runner.tools.images.image_arguments import (
    Quality,
    ToImage,
    WrittenImage,
    form_of,
    image_of,
)


class ImageConvert(ToImage):
    """Into which format."""

    format: Form
    quality: Quality = 85
    background: Annotated[
        str, Field(pattern=r"^[0-9A-Fa-f]{6}$", description="RRGGBB behind what is seen through, in JPEG.")
    ] = "FFFFFF"


@tool("image_convert", family="images", effect=RECORDED, timeout_s=60)
async def image_convert(args: ImageConvert, documents: FileDocuments) -> WrittenImage:
    """Convert an image to another format: a new file with the format's ending beside it, or at output_path.

    Turned upright, without a camera's notes; one that moves stays so in gif, webp and png."""
    options = Convert(form=args.format, quality=args.quality, background=args.background)
    target = args.target()
    if args.output_path is None:
        file = await documents.file(args.ref)
        if form_of(file.path) != args.format:
            target = msgspec.structs.replace(target, output_path=_beside(file.path, args.format))
    return image_of(*await documents.write(target, Work("images.convert", options)))


def _beside(path: str, form: Form) -> str:
    """The same path with the format's ending."""
    folder, slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0] if form_of(name) is not None else name
    return f"{folder}{slash}{stem}.{'jpg' if form == 'jpeg' else form}"

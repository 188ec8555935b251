"""`image_composite`: one image on another."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import Rejected
from agent_domain.files.file import FileRef
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import ref_of
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.images.options import Composite
from tool_runner.tools.images.image_arguments import Pixels, ToImage, WrittenImage, image_of

At = Annotated[int, Field(ge=-50_000, le=50_000, description="Pixels from the top left, also negative.")]


class ImageComposite(ToImage):
    """What goes on it, and where."""

    overlay: Annotated[str, Field(min_length=1, description="The other image: file_id or path.")]
    x: At = 0
    y: At = 0
    width: Annotated[Pixels | None, Field(description="Of the overlay. Default: its own.")] = None
    height: Annotated[Pixels | None, Field(description="Of the overlay. Default: its own.")] = None
    opacity: Annotated[float, Field(ge=0, le=1, description="Of the overlay.")] = 1.0


@tool("image_composite", family="images", effect=RECORDED, timeout_s=60)
async def image_composite(args: ImageComposite, documents: FileDocuments) -> WrittenImage:
    """Put an image on another one: a logo, a watermark. What sticks out is cut off."""
    options = Composite(
        form=args.form, x=args.x, y=args.y, width=args.width, height=args.height, opacity=args.opacity
    )
    try:
        overlay = await documents.file(ref_of(args.overlay))
    except Rejected as error:
        raise Rejected(error.message, kind=error.kind, path="/overlay") from error
    work = Work("images.composite", options, (FileRef(file_id=overlay.file_id),))
    return image_of(*await documents.write(args.target(), work))

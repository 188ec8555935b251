"""`image_resize`: an image in another size."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.images.options import Resize
from tool_runner.tools.images.image_arguments import Pixels, ToImage, WrittenImage, image_of


class ImageResize(ToImage):
    """How large."""

    width: Pixels | None = None
    height: Pixels | None = None
    fit: Annotated[
        Literal["inside", "cover", "stretch"], Field(description="With both: cover cuts off what is over.")
    ] = "inside"

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.width is None and self.height is None:
            raise ValueError("give width, height or both")
        return self


@tool("image_resize", family="images", effect=RECORDED, timeout_s=60)
async def image_resize(args: ImageResize, documents: FileDocuments) -> WrittenImage:
    """Resize an image. With width or height alone, or inside both, it keeps its proportions."""
    options = Resize(form=args.form, width=args.width, height=args.height, fit=args.fit)
    return image_of(*await documents.write(args.target(), Work("images.resize", options)))

"""`pdf_add_image`: a picture at a place of a page."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import WrittenFile, about, ref_of
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import Box, Image
from tool_runner.tools.pdfs.pdf_arguments import Page, Points, ToPdf, Width
from tool_runner.tools.pdfs.results import of_type


class PdfAddImage(ToPdf):
    """Which picture, and where."""

    page: Page
    image: Annotated[str, Field(description="Path or file_id.")]
    x: Points
    y: Points
    width: Annotated[Width, Field(description="Points. One of both keeps the proportions.")] = None
    height: Width = None


class PlacedImage(WrittenFile):
    """How much of the page it takes, in points."""

    width: float
    height: float


@tool("pdf_add_image", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_add_image(args: PdfAddImage, documents: FileDocuments) -> PlacedImage:
    """Put an image onto a page of a PDF. x, y: points from the page's top left to that of the image."""
    options = Image(args.page, args.x, args.y, args.width, args.height, args.password)
    work = Work("pdfs.add_image", options, (ref_of(args.image),))
    file, said = await documents.write(args.target(), work)
    box = of_type(said, Box)
    return PlacedImage(**about(file), width=box.width, height=box.height)

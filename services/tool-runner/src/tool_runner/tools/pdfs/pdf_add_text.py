"""`pdf_add_text`: text at a place of a page."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import WrittenFile, about, ref_of
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import Box, Text
from tool_runner.tools.pdfs.pdf_arguments import FontFile, Look, Page, Points, ToPdf, Width
from tool_runner.tools.pdfs.results import of_type


class PdfAddText(ToPdf, Look):
    """What, where, and how it looks."""

    page: Page
    text: Annotated[str, Field(min_length=1, max_length=100_000, description="What it says.")]
    x: Points
    y: Points
    width: Annotated[Width, Field(description="Text wraps within it. Default: to the margin.")] = None
    font: FontFile = None


class Placed(WrittenFile):
    """How much of the page it takes, in points."""

    width: float
    height: float


@tool("pdf_add_text", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_add_text(args: PdfAddText, documents: FileDocuments) -> Placed:
    """Write text onto a page of a PDF. x, y: points from the page's top left to that of the text."""
    options = Text(args.page, args.text, args.x, args.y, args.width, args.look(), args.password)
    font = (ref_of(args.font),) if args.font is not None else ()
    file, said = await documents.write(args.target(), Work("pdfs.add_text", options, font))
    box = of_type(said, Box)
    return Placed(**about(file), width=box.width, height=box.height)

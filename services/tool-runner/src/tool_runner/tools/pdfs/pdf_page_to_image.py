"""`pdf_page_to_image`: a page as a picture."""

from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from agent_contracts.pictures import Picture
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import WrittenFile, about
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import Picture as Rendered
from tool_runner.tools.pdfs.pdf_arguments import OfPdf, Page
from tool_runner.tools.pdfs.results import of_type


class PdfPageToImage(OfPdf):
    """Which page, how finely."""

    page: Page
    dpi: Annotated[int, Field(ge=10, le=600, description="Pixels an inch.")] = 100
    format: Literal["png", "jpeg"] = "png"
    output_path: Annotated[str | None, Field(description="Default: beside the PDF.")] = None


class PageImage(WrittenFile):
    """The picture's file, and its pixels."""

    width: int
    height: int
    _picture: Picture = PrivateAttr()

    def shown_pictures(self) -> tuple[Picture, ...]:
        """The page."""
        return (self._picture,)


@tool("pdf_page_to_image", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_page_to_image(args: PdfPageToImage, documents: FileDocuments) -> PageImage:
    """Make a picture of a page of a PDF: a new file, at most 4096 pixels a side. You see it if you can."""
    options = {"password": args.password, "page": args.page, "dpi": args.dpi, "form": args.format}
    of, done = await documents.read(args.ref, Work("pdfs.picture", options))
    ending = "jpg" if args.format == "jpeg" else "png"
    path = args.output_path or f"{of.path.removesuffix('.pdf')}-page-{args.page}.{ending}"
    [file] = await documents.write_all([path], done.outputs, of)
    rendered = of_type(done.value, Rendered)
    made = PageImage(**about(file), width=rendered.width, height=rendered.height)
    name = f"page {args.page} of {of.path}"
    made._picture = Picture(file.blob, file.media_type, file.size, name)
    return made

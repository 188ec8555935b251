"""`pdf_delete_page`: a PDF without a page."""

from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import WrittenFile, about
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.tools.pdfs.pdf_arguments import Page, ToPdf
from tool_runner.tools.pdfs.results import of_type


class PdfDeletePage(ToPdf):
    """Which page."""

    page: Page


class PagesLeft(WrittenFile):
    """How many pages are left."""

    page_count: int


@tool("pdf_delete_page", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_delete_page(args: PdfDeletePage, documents: FileDocuments) -> PagesLeft:
    """Delete a page of a PDF."""
    options = {"password": args.password, "page": args.page}
    file, left = await documents.write(args.target(), Work("pdfs.delete_page", options))
    return PagesLeft(**about(file), page_count=of_type(left, int))

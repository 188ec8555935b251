"""`pdf_extract_text`: the text of a PDF's pages."""

from typing import Annotated

import msgspec
from pydantic import Field

from agent_platform.log.storable_text import storable_text
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.tools.pdfs.pdf_arguments import OfPdf
from tool_runner.tools.pdfs.results import of_type


class PdfExtractText(OfPdf):
    """Of which pages."""

    pages: Annotated[str | None, Field(max_length=500, description="Such as 1-3,7,9-. Default: all.")] = None
    max_chars: Annotated[int, Field(ge=200, le=200_000, description="About; whole pages.")] = 20_000


class PageText(Result):
    """A page, from 1."""

    page: int
    text: str


class PdfText(Result):
    """`left_out` says what these pages hold, but not as text; `next_page` is where to continue, if there is
    more."""

    file_id: str
    path: str
    version: int
    left_out: list[str]
    pages: list[PageText]
    next_page: int | None = None


class _Found(msgspec.Struct, frozen=True):
    pages: list[dict[str, int | str]]
    left_out: list[str]
    next_page: int | None


@tool("pdf_extract_text", family="pdfs", effect=PURE, timeout_s=40)
async def pdf_extract_text(args: PdfExtractText, documents: FileDocuments) -> PdfText:
    """The text of a PDF, page by page."""
    options = {"password": args.password, "pages": args.pages, "most": args.max_chars}
    file, done = await documents.read(args.ref, Work("pdfs.texts", options))
    found = of_type(done.value, _Found)
    pages = [PageText(page=int(one["page"]), text=storable_text(str(one["text"]))) for one in found.pages]
    return PdfText(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        left_out=[storable_text(one) for one in found.left_out],
        pages=pages,
        next_page=found.next_page,
    )

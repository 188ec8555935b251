"""`pdf_merge`: one PDF of several."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.agent.file_arguments import WrittenFile, about, ref_of
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.tools.pdfs.pdf_arguments import Password
from tool_runner.tools.pdfs.results import of_type


class PdfMerge(Arguments):
    """Which PDFs, in which order, and where to."""

    files: Annotated[list[str], Field(min_length=2, max_length=50, description="Paths or file_ids.")]
    output_path: Annotated[str, Field(description="Of the new file.")]
    password: Password = None


class Merged(WrittenFile):
    """How many pages it has."""

    page_count: int


@tool("pdf_merge", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_merge(args: PdfMerge, documents: FileDocuments) -> Merged:
    """Make a new PDF of all pages of several PDFs."""
    first, *others = (ref_of(file) for file in args.files)
    work = Work("pdfs.merge", {"password": args.password}, tuple(others))
    of, done = await documents.read(first, work)
    [file] = await documents.write_all([args.output_path], done.outputs, of)
    return Merged(**about(file), page_count=of_type(done.value, int))

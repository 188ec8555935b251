"""`pdf_split_pages`: parts of a PDF as files."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.file_arguments import WrittenFile, about
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import MOST_PARTS, Parts
from tool_runner.tools.pdfs.pdf_arguments import OfPdf
from tool_runner.tools.pdfs.results import of_type

_PLACE = "{pages}"


class PdfSplitPages(OfPdf):
    """Which pages go into which file."""

    ranges: Annotated[
        list[str] | None,
        Field(
            min_length=1, max_length=MOST_PARTS, description="A file each, such as 1-3,7. Default: each page."
        ),
    ] = None
    output_path: Annotated[
        str | None, Field(description="With {pages} in it. Default: beside the PDF.", max_length=512)
    ] = None


class Part(WrittenFile):
    """A file, and how many pages it has."""

    pages: str
    page_count: int


class SplitPages(Result):
    """The new files."""

    files: list[Part]


@tool("pdf_split_pages", family="pdfs", effect=RECORDED, timeout_s=60)
async def pdf_split_pages(args: PdfSplitPages, documents: FileDocuments, files: AgentFiles) -> SplitPages:
    """Make new PDFs of pages of a PDF: of each page, or of ranges. The PDF itself stays."""
    if args.output_path is not None and _PLACE not in args.output_path:
        raise Rejected(f"it needs {_PLACE} in it", kind=ErrorKind.INVALID_ARGUMENTS, path="/output_path")
    work = Work("pdfs.split", Parts(args.ranges, args.password))
    of, done = await documents.read(args.ref, work)
    parts = of_type(done.value, list[tuple[str, int]])
    form = args.output_path or f"{of.path.removesuffix('.pdf')}-{_PLACE}.pdf"
    paths = [form.replace(_PLACE, pages) for pages, _ in parts]
    taken = {file.path for file in await files.list() if file.made_from != of.file_id}
    for path in paths:
        if path in taken or paths.count(path) > 1:
            raise Rejected(f"{path} is taken", kind=ErrorKind.CONFLICT, path="/output_path")
    made = await documents.write_all(paths, done.outputs, of)
    return SplitPages(
        files=[
            Part(**about(file), pages=pages, page_count=count)
            for file, (pages, count) in zip(made, parts, strict=True)
        ]
    )

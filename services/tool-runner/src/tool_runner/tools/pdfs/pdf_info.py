"""`pdf_info`: what a PDF is."""

from agent_platform.log.storable_text import storable_text
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs.terms import About
from tool_runner.tools.pdfs.pdf_arguments import OfPdf
from tool_runner.tools.pdfs.results import of_type

_MOST_SIZES = 50


class SameSize(Result):
    """Pages that follow each other and have one size: `first` to `last`, in points as they are shown."""

    first: int
    last: int
    width: float
    height: float
    rotation: int


class PdfInfo(Result):
    """The file and what it says of itself. `left_out` says what is in it, but not in its text; `sizes` has at
    most 50 entries."""

    file_id: str
    path: str
    version: int
    left_out: list[str]
    size: int
    page_count: int
    encrypted: bool
    title: str | None
    author: str | None
    subject: str | None
    created: str | None
    form_fields: int
    sizes: list[SameSize]


@tool("pdf_info", family="pdfs", effect=PURE, timeout_s=40)
async def pdf_info(args: OfPdf, documents: FileDocuments) -> PdfInfo:
    """What a PDF is: pages and their sizes in points, title, author, number of form fields, pages without
    text."""
    file, done = await documents.read(args.ref, Work("pdfs.about", {"password": args.password}))
    found = of_type(done.value, About)
    sizes: list[SameSize] = []
    for page in found.pages:
        last = sizes[-1] if sizes else None
        if last and (last.width, last.height, last.rotation) == (page.width, page.height, page.rotation):
            sizes[-1] = last.model_copy(update={"last": page.page})
        elif len(sizes) < _MOST_SIZES:
            sizes.append(
                SameSize(
                    first=page.page,
                    last=page.page,
                    width=page.width,
                    height=page.height,
                    rotation=page.rotation,
                )
            )
    return PdfInfo(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        left_out=[storable_text(one) for one in found.left_out],
        size=file.size,
        page_count=found.page_count,
        encrypted=found.encrypted,
        title=found.title,
        author=found.author,
        subject=found.subject,
        created=found.created,
        form_fields=found.form_fields,
        sizes=sizes,
    )

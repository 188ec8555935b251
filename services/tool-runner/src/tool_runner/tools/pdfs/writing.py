"""Tools that make PDFs from PDFs."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.agent.file_arguments import WrittenFile, about, ref_of
from tool_runner.agent.file_documents import FileDocuments, FileJob
from tool_runner.documents.pdfs import terms
from tool_runner.documents.pdfs.terms import (
    MOST_PARTS,
    FieldValues,
    PageBox,
    Parts,
    PdfField,
    PdfImage,
    PdfTextBox,
    Value,
)
from tool_runner.tools.pdfs.shapes import (
    FontFile,
    OfPdf,
    Page,
    Password,
    Points,
    TextLookArguments,
    ToPdf,
    Width,
    of_type,
)


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
    options = PdfImage(args.page, args.x, args.y, args.width, args.height, args.password)
    work = FileJob("pdfs.add_image", options, (ref_of(args.image),))
    file, said = await documents.write(args.target(), work)
    box = of_type(said, PageBox)
    return PlacedImage(**about(file), width=box.width, height=box.height)


class DocumentBlock(TextLookArguments):
    """One of heading, text, table, image."""

    heading: Annotated[str | None, Field(max_length=2_000)] = None
    text: Annotated[str | None, Field(max_length=200_000)] = None
    table: Annotated[list[list[terms.Cell]] | None, Field(description="Rows; the first is the head.")] = None
    image: Annotated[str | None, Field(description="Path or file_id.")] = None
    width: Annotated[Width, Field(description="Of the image, in points.")] = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(one is not None for one in (self.heading, self.text, self.table, self.image)) != 1:
            raise ValueError("a block has one of heading, text, table, image")
        return self


class Paper(Arguments):
    """The size of new pages."""

    size: Literal["a3", "a4", "a5", "letter", "legal"] = "a4"
    landscape: bool = False
    margin: Annotated[float, Field(ge=0, le=400, description="Points.")] = 54

    def sheet(self) -> terms.Sheet:
        """In points."""
        width, height = terms.SIZES[self.size]
        return terms.Sheet(*((height, width) if self.landscape else (width, height)), self.margin)


class PdfAddPage(ToPdf):
    """What stands on the new pages, and where they go."""

    blocks: Annotated[
        list[DocumentBlock],
        Field(max_length=500, default_factory=list, description="One below the other. None: a blank page."),
    ]
    before: Annotated[int | None, Field(ge=1, description="This page. Default: at the end.")] = None
    paper: Annotated[Paper | None, Field(description="Default: as the page beside.")] = None
    font: FontFile = None


class AddedPages(WrittenFile):
    """The first new page, how many they are, and all."""

    page: int
    pages_added: int
    page_count: int


@tool("pdf_add_page", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_add_page(args: PdfAddPage, documents: FileDocuments) -> AddedPages:
    """Add pages to a PDF: headings, text, tables and images, on as many pages as they take.

    Makes the PDF if nothing is at the path.
    """
    images = [ref_of(block.image) for block in args.blocks if block.image is not None]
    font = (ref_of(args.font),) if args.font is not None else ()
    options = terms.NewPages(
        blocks=_blocks(args.blocks),
        password=args.password,
        before=args.before,
        sheet=args.paper.sheet() if args.paper else None,
        brings_font=bool(font),
    )
    work = FileJob("pdfs.add_pages", options, (*images, *font))
    file, said = await documents.write(args.target(may_be_new=True), work)
    added = of_type(said, terms.AddedRange)
    return AddedPages(
        **about(file), page=added.page, pages_added=added.pages_added, page_count=added.page_count
    )


def _blocks(blocks: list[DocumentBlock]) -> list[terms.PdfBlock]:
    made, images = [], 0
    for block in blocks:
        made.append(
            terms.PdfBlock(
                heading=block.heading,
                text=block.text,
                table=block.table,
                image=images if block.image is not None else None,
                width=block.width,
                look=block.look(),
            )
        )
        images += block.image is not None
    return made


class PdfAddText(ToPdf, TextLookArguments):
    """What, where, and how it looks."""

    page: Page
    text: Annotated[str, Field(min_length=1, max_length=100_000, description="What it says.")]
    x: Points
    y: Points
    width: Annotated[Width, Field(description="Text wraps within it. Default: to the margin.")] = None
    font: FontFile = None


class PlacementResult(WrittenFile):
    """How much of the page it takes, in points."""

    width: float
    height: float


@tool("pdf_add_text", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_add_text(args: PdfAddText, documents: FileDocuments) -> PlacementResult:
    """Write text onto a page of a PDF. x, y: points from the page's top left to that of the text."""
    options = PdfTextBox(args.page, args.text, args.x, args.y, args.width, args.look(), args.password)
    font = (ref_of(args.font),) if args.font is not None else ()
    file, said = await documents.write(args.target(), FileJob("pdfs.add_text", options, font))
    box = of_type(said, PageBox)
    return PlacementResult(**about(file), width=box.width, height=box.height)


class PdfDeletePage(ToPdf):
    """Which page."""

    page: Page


class RemainingPages(WrittenFile):
    """How many pages are left."""

    page_count: int


@tool("pdf_delete_page", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_delete_page(args: PdfDeletePage, documents: FileDocuments) -> RemainingPages:
    """Delete a page of a PDF."""
    options = {"password": args.password, "page": args.page}
    file, left = await documents.write(args.target(), FileJob("pdfs.delete_page", options))
    return RemainingPages(**about(file), page_count=of_type(left, int))


class PdfFillForm(ToPdf):
    """The values by names of fields."""

    values: Annotated[
        dict[str, str | bool | list[str] | None],
        Field(min_length=1, max_length=2_000, description="By field. Boxes take true or false."),
    ]
    flatten: Annotated[bool, Field(description="Make the values part of the pages: no more form.")] = False


class FilledForm(WrittenFile):
    """Which fields have a value now, and which are required and still have none."""

    values: dict[str, Value]
    missing: list[str]


@tool("pdf_fill_form", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_fill_form(args: PdfFillForm, documents: FileDocuments) -> FilledForm:
    """Fill in fields of a PDF's form; the others stay. `pdf_get_form_fields` tells which there are."""
    options = FieldValues(args.values, args.flatten, args.password)
    file, said = await documents.write(args.target(), FileJob("pdfs.fill", options))
    now = of_type(said, list[PdfField])
    return FilledForm(
        **about(file),
        values={field.name: field.value for field in now if field.name in args.values},
        missing=[field.name for field in now if field.required and field.value in (None, "", False)],
    )


class PdfMerge(Arguments):
    """Which PDFs, in which order, and where to."""

    files: Annotated[list[str], Field(min_length=2, max_length=50, description="Paths or file_ids.")]
    output_path: Annotated[str, Field(description="Of the new file.")]
    password: Password = None


class MergeResult(WrittenFile):
    """How many pages it has."""

    page_count: int


@tool("pdf_merge", family="pdfs", effect=RECORDED, timeout_s=40)
async def pdf_merge(args: PdfMerge, documents: FileDocuments) -> MergeResult:
    """Make a new PDF of all pages of several PDFs."""
    first, *others = (ref_of(file) for file in args.files)
    work = FileJob("pdfs.merge", {"password": args.password}, tuple(others))
    of, done = await documents.read(first, work)
    [file] = await documents.write_all([args.output_path], done.outputs, of)
    return MergeResult(**about(file), page_count=of_type(done.value, int))


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


class PdfPart(WrittenFile):
    """A file, and how many pages it has."""

    pages: str
    page_count: int


class SplitPages(Result):
    """The new files."""

    files: list[PdfPart]


@tool("pdf_split_pages", family="pdfs", effect=RECORDED, timeout_s=60)
async def pdf_split_pages(args: PdfSplitPages, documents: FileDocuments, files: AgentFiles) -> SplitPages:
    """Make new PDFs of pages of a PDF: of each page, or of ranges. The PDF itself stays."""
    if args.output_path is not None and _PLACE not in args.output_path:
        raise Rejected(f"it needs {_PLACE} in it", kind=ErrorKind.INVALID_ARGUMENTS, path="/output_path")
    work = FileJob("pdfs.split", Parts(args.ranges, args.password))
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
            PdfPart(**about(file), pages=pages, page_count=count)
            for file, (pages, count) in zip(made, parts, strict=True)
        ]
    )

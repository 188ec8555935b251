"""Tools that read PDFs."""

from typing import Annotated, Literal

import msgspec
from pydantic import Field, PrivateAttr

from agent_contracts.pictures import Picture
from agent_platform.log.storable_text import storable_text
from agent_tools.tool import PURE, RECORDED, Result, tool
from tool_runner.agent.file_arguments import WrittenFile, about
from tool_runner.agent.file_documents import FileDocuments, FileJob
from tool_runner.documents.pdfs.terms import About, FieldType, PageRender, PdfField, Value
from tool_runner.tools.pdfs.shapes import OfPdf, Page, of_type


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


class _PageTexts(msgspec.Struct, frozen=True):
    pages: list[dict[str, int | str]]
    left_out: list[str]
    next_page: int | None


@tool("pdf_extract_text", family="pdfs", effect=PURE, timeout_s=40)
async def pdf_extract_text(args: PdfExtractText, documents: FileDocuments) -> PdfText:
    """The text of a PDF, page by page."""
    options = {"password": args.password, "pages": args.pages, "most": args.max_chars}
    file, done = await documents.read(args.ref, FileJob("pdfs.texts", options))
    found = of_type(done.value, _PageTexts)
    pages = [PageText(page=int(one["page"]), text=storable_text(str(one["text"]))) for one in found.pages]
    return PdfText(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        left_out=[storable_text(one) for one in found.left_out],
        pages=pages,
        next_page=found.next_page,
    )


class PdfFormField(Result):
    """A field. With `options` it takes only these (`several`: a list of them)."""

    name: str
    type: FieldType
    value: Value
    options: list[str] | None
    pages: list[int]
    multiline: bool
    several: bool
    read_only: bool
    required: bool
    max_length: int | None


class FormFields(Result):
    """The form of a PDF; no fields if it has none."""

    file_id: str
    path: str
    version: int
    fields: list[PdfFormField]


@tool("pdf_get_form_fields", family="pdfs", effect=PURE, timeout_s=40)
async def pdf_get_form_fields(args: OfPdf, documents: FileDocuments) -> FormFields:
    """The fields of a PDF's form: names, types, values, and what each takes."""
    file, done = await documents.read(args.ref, FileJob("pdfs.fields", {"password": args.password}))
    return FormFields(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        fields=[
            PdfFormField(
                name=field.name,
                type=field.type,
                value=storable_text(field.value) if isinstance(field.value, str) else field.value,
                options=field.options,
                pages=field.pages,
                multiline=field.multiline,
                several=field.several,
                read_only=field.read_only,
                required=field.required,
                max_length=field.max_length,
            )
            for field in of_type(done.value, list[PdfField])
        ],
    )


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
    file, done = await documents.read(args.ref, FileJob("pdfs.about", {"password": args.password}))
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
    of, done = await documents.read(args.ref, FileJob("pdfs.picture", options))
    ending = "jpg" if args.format == "jpeg" else "png"
    path = args.output_path or f"{of.path.removesuffix('.pdf')}-page-{args.page}.{ending}"
    [file] = await documents.write_all([path], done.outputs, of)
    rendered = of_type(done.value, PageRender)
    made = PageImage(**about(file), width=rendered.width, height=rendered.height)
    name = f"page {args.page} of {of.path}"
    made._picture = Picture(file.blob, file.media_type, file.size, name)
    return made

"""`pdf_add_page`: new pages, with what stands on them."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.agent.file_arguments import WrittenFile, about, ref_of
from tool_runner.agent.file_documents import FileDocuments, Work
from tool_runner.documents.pdfs import terms
from tool_runner.tools.pdfs.pdf_arguments import FontFile, Look, ToPdf, Width
from tool_runner.tools.pdfs.results import of_type


class Block(Look):
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
        list[Block],
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
    work = Work("pdfs.add_pages", options, (*images, *font))
    file, said = await documents.write(args.target(may_be_new=True), work)
    added = of_type(said, terms.Added)
    return AddedPages(
        **about(file), page=added.page, pages_added=added.pages_added, page_count=added.page_count
    )


def _blocks(blocks: list[Block]) -> list[terms.Block]:
    made, images = [], 0
    for block in blocks:
        made.append(
            terms.Block(
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

"""Pages made of blocks, one below the other: headings, text, tables, pictures."""

import io
from collections.abc import Sequence

import msgspec
from pypdf import PdfReader, PdfWriter
from reportlab.lib.colors import HexColor
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, LongTable, SimpleDocTemplate, Spacer, TableStyle
from reportlab.platypus.doctemplate import LayoutError

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.pdfs.drawing import fitted, font_for, paragraph
from tool_runner.documents.pdfs.fonts import Font, must_show
from tool_runner.documents.pdfs.opening import broken_refused, to_change, to_read, written
from tool_runner.documents.pdfs.pictures import to_draw
from tool_runner.documents.pdfs.terms import SIZES, AddedRange, Align, Cell, PdfBlock, Sheet, TextLook

MOST_CELLS = 10_000
_HEADING = 1.6
"""A heading's size by that of the text."""
_CELL_PADDING = 4.0
_GAP = 8.0
"""Points between blocks."""


def with_pages(  # noqa: PLR0913 — what goes onto them, and where they go
    data: bytes | None,
    password: str | None,
    before: int | None,
    sheet: Sheet | None,
    blocks: Sequence[PdfBlock],
    images: Sequence[bytes] = (),
    given: bytes | None = None,
) -> tuple[AddedRange, bytes]:
    """The PDF (a new one without `data`) with as many more pages as the blocks take, at least one.

    They come before page `before`, else at the end; without a `sheet` they are like the page beside, or A4.
    `Rejected` for what can't be set; else as for `to_read`.
    """
    encrypted = data is not None and to_read(data, password).is_encrypted
    writer = to_change(data, password) if data is not None else PdfWriter()
    count = len(writer.pages)
    at = before - 1 if before is not None else count
    if not 0 <= at <= count:
        raise Rejected(f"there is no page {before}: the PDF has {count}", kind=ErrorKind.NOT_FOUND)
    made = PdfReader(io.BytesIO(_composed(sheet or _like(writer, at), blocks, images, given)))
    with broken_refused():
        for offset, page in enumerate(made.pages):
            writer.insert_page(page, at + offset)
    added = AddedRange(at + 1, len(made.pages), len(writer.pages))
    return added, written(writer, password, was_encrypted=encrypted)


def _like(writer: PdfWriter, at: int) -> Sheet:
    if not len(writer.pages):
        return Sheet(*SIZES["a4"])
    with broken_refused():
        beside = writer.pages[max(0, at - 1)]
        width, height = float(beside.cropbox.width), float(beside.cropbox.height)
        return Sheet(*((height, width) if beside.rotation % 180 else (width, height)))


def _composed(
    sheet: Sheet, blocks: Sequence[PdfBlock], images: Sequence[bytes], given: bytes | None
) -> bytes:
    made = io.BytesIO()
    room = (sheet.width - 2 * sheet.margin, sheet.height - 2 * sheet.margin)
    if min(room) < 20:
        raise Rejected("the page has no room within its margins", kind=ErrorKind.INVALID_ARGUMENTS)
    template = SimpleDocTemplate(
        made,
        pagesize=(sheet.width, sheet.height),
        leftMargin=sheet.margin - 6,  # a frame has 6 points of padding of its own
        rightMargin=sheet.margin - 6,
        topMargin=sheet.margin - 6,
        bottomMargin=sheet.margin - 6,
        invariant=True,
    )
    flow: list[Flowable] = []
    for number, block in enumerate(blocks):
        if number:
            flow.append(Spacer(1, _GAP))
        flow += _set(block, f"/blocks/{number}", room, images, given)
    try:
        template.build(flow or [_Nothing()])
    except LayoutError as error:
        raise Rejected(
            "a block doesn't fit on a page: make it smaller, or the page larger",
            kind=ErrorKind.INVALID_ARGUMENTS,
        ) from error
    return made.getvalue()


def _set(
    block: PdfBlock, where: str, room: tuple[float, float], images: Sequence[bytes], given: bytes | None
) -> list[Flowable]:
    look = block.look
    if block.heading is not None:
        large = msgspec.structs.replace(look, size=look.size * _HEADING, style="bold")
        font = font_for(block.heading, large, given)
        must_show(block.heading, font, f"{where}/heading")
        return [paragraph(block.heading, large, font)]
    if block.text is not None:
        font = font_for(block.text, look, given)
        must_show(block.text, font, f"{where}/text")
        # A line is a paragraph: to break one over pages costs the square of its length.
        return [paragraph(line, look, font) for line in block.text.split("\n")]
    if block.table is not None:
        return [_table(block.table, look, f"{where}/table", room[0], given)]
    assert block.image is not None
    picture = to_draw(images[block.image], f"{where}/image")
    width, height = fitted(picture.getSize(), block.width, None, room)
    if width > room[0] or height > room[1]:
        raise Rejected(
            f"the picture would be {width:.0f} × {height:.0f} points; there is room for "
            f"{room[0]:.0f} × {room[1]:.0f}",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path=f"{where}/width",
        )
    return [_Picture(picture, (width, height))]


def _table(rows: list[list[Cell]], look: TextLook, where: str, room: float, given: bytes | None) -> Flowable:
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        raise Rejected("the table has no cell", kind=ErrorKind.INVALID_ARGUMENTS, path=where)
    if columns * len(rows) > MOST_CELLS:
        raise Rejected(
            f"the table has {columns * len(rows)} cells; at most {MOST_CELLS} are set: take several",
            kind=ErrorKind.TOO_LARGE,
            path=where,
        )
    texts = [[_shown(cell) for cell in [*row, *[None] * (columns - len(row))]] for row in rows]
    every = "".join(text for row in texts for text in row)
    head = font_for(every, msgspec.structs.replace(look, style="bold"), given)
    body = font_for(every, look, given)
    for number, row in enumerate(texts):
        for text in row:
            must_show(text, head if number == 0 else body, f"{where}/{number}")
    cells = [
        [
            paragraph(text, _of_cell(look, value), head if number == 0 else body)
            for text, value in zip(row, [*rows[number], *[None] * (columns - len(rows[number]))], strict=True)
        ]
        for number, row in enumerate(texts)
    ]
    made = LongTable(
        cells, colWidths=_widths(texts, look, (head, body), room), repeatRows=1, splitInRow=1, hAlign="LEFT"
    )
    made.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, HexColor("#9a9a9a")),
                ("BACKGROUND", (0, 0), (-1, 0), HexColor("#ececec")),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                *((side, (0, 0), (-1, -1), _CELL_PADDING) for side in ("LEFTPADDING", "RIGHTPADDING")),
                *((side, (0, 0), (-1, -1), 2) for side in ("TOPPADDING", "BOTTOMPADDING")),
            ]
        )
    )
    return made


def _widths(texts: list[list[str]], look: TextLook, fonts: tuple[Font, Font], room: float) -> list[float]:
    """As wide as their longest lines; where that is too much, the wide share what the narrow leave."""
    wanted = [
        2 * _CELL_PADDING
        + 1
        + max(
            stringWidth(line, fonts[bool(number)].name, look.size)
            for number, text in enumerate(column)
            for line in text.split("\n")
        )
        for column in zip(*texts, strict=True)
    ]
    left, open_columns, widths = room, set(range(len(wanted))), list(wanted)
    while open_columns:
        share = left / len(open_columns)
        narrow = {column for column in open_columns if wanted[column] <= share}
        if not narrow:
            for column in open_columns:
                widths[column] = share
            break
        left -= sum(wanted[column] for column in narrow)
        open_columns -= narrow
    return widths


def _of_cell(look: TextLook, value: Cell) -> TextLook:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    align: Align = "right" if is_number and look.align == "left" else look.align
    return msgspec.structs.replace(look, align=align)


def _shown(value: Cell) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.15g}"
        case _:
            return str(value)


class _Nothing(Flowable):
    """Makes a page that has nothing on it."""

    def wrap(self, _width: float, _height: float) -> tuple[float, float]:
        """Takes no room."""
        return 0, 0

    def draw(self) -> None:
        """Draws nothing."""


class _Picture(Flowable):
    """A picture that was read before: reportlab's own flowable reads a file by its name."""

    def __init__(self, picture: object, size: tuple[float, float]) -> None:
        super().__init__()
        self.picture, self.size = picture, size

    def wrap(self, _width: float, _height: float) -> tuple[float, float]:
        """Its size."""
        return self.size

    def draw(self) -> None:
        """Draws the picture."""
        self.canv.drawImage(self.picture, 0, 0, *self.size, mask="auto")

"""Text and pictures at a place of a page. Points count from the top left of the page as it is shown."""

import io
from collections.abc import Callable
from typing import Literal
from xml.sax.saxutils import escape

from pypdf import PageObject, PdfReader, Transformation
from reportlab.lib.colors import HexColor
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.pdfs.fonts import Font, built_in, from_file, must_show
from tool_runner.documents.pdfs.opening import broken_refused, page_of, to_change, to_read, written
from tool_runner.documents.pdfs.pictures import to_draw
from tool_runner.documents.pdfs.terms import Align, PageBox, TextLook

MARGIN = 36.0
"""Points that text without a width leaves free at the right."""
_LEADING = 1.25
"""Line height by the font's size."""
_ALIGNMENTS: dict[Align, Literal[0, 1, 2]] = {"left": 0, "center": 1, "right": 2}
"""reportlab's numbers for them."""


def paragraph(text: str, look: TextLook, font: Font) -> Paragraph:
    """Text that wraps within a width and keeps its line breaks."""
    style = ParagraphStyle(
        "text",
        fontName=font.name,
        fontSize=look.size,
        leading=look.size * _LEADING,
        textColor=HexColor(look.color),
        alignment=_ALIGNMENTS[look.align],
        wordWrap="CJK" if font.given and any(ord(character) > 0x2E7F for character in text) else None,
    )
    return Paragraph(escape(text).replace("\n", "<br/>") or "\u00a0", style)


def font_for(text: str, look: TextLook, given: bytes | None) -> Font:
    """The font that is given as a file, else the built-in one. `Rejected` for a file that is none."""
    return built_in(text, look.style) if given is None else from_file(given)


def with_text(  # noqa: PLR0913 — what is drawn, and where
    data: bytes,
    password: str | None,
    number: int,
    text: str,
    at: tuple[float, float, float | None],
    look: TextLook,
    given: bytes | None = None,
) -> tuple[PageBox, bytes]:
    """The PDF with text on a page, from x and y on, wrapped within a width (by default up to the margin).

    `Rejected` where it would leave the page, or letters can't be shown; else as for `to_read`.
    """
    font = font_for(text, look, given)
    must_show(text, font, "/text")

    def draw(canvas: Canvas, size: tuple[float, float]) -> PageBox:
        x, y, wanted = at
        width = wanted if wanted is not None else size[0] - x - min(MARGIN, x)
        if width < look.size or not 0 <= x <= size[0] - width + 0.01 or not 0 <= y < size[1]:
            raise _off_page(f"text {max(width, 0):.0f} points wide at {x:g}, {y:g}", size)
        drawn = paragraph(text, look, font)
        _, height = drawn.wrap(width, 1e6)
        if y + height > size[1]:
            raise _off_page(f"the text takes {height:.0f} points from {y:g} down: it", size)
        drawn.drawOn(canvas, x, size[1] - y - height)
        return PageBox(number, x, y, round(width, 2), round(height, 2))

    return _drawn_on(data, password, number, draw)


def with_picture(
    data: bytes,
    password: str | None,
    number: int,
    picture: bytes,
    at: tuple[float, float, float | None, float | None],
) -> tuple[PageBox, bytes]:
    """The PDF with a picture on a page: at x, y, with a width and height; one follows from the other.

    Without both it has a point for a pixel, or as many as the page has room for. `Rejected` where it would
    leave the page or isn't a picture; else as for `to_read`.
    """
    image = to_draw(picture, "/image")

    def draw(canvas: Canvas, size: tuple[float, float]) -> PageBox:
        x, y, wide, high = at
        width, height = fitted(image.getSize(), wide, high, (size[0] - x, size[1] - y))
        if not (x >= 0 and y >= 0 and x + width <= size[0] + 0.01 and y + height <= size[1] + 0.01):
            raise _off_page(f"a picture of {width:.0f} × {height:.0f} points at {x:g}, {y:g}", size)
        canvas.drawImage(image, x, size[1] - y - height, width, height, mask="auto")
        return PageBox(number, x, y, round(width, 2), round(height, 2))

    return _drawn_on(data, password, number, draw)


def fitted(
    pixels: tuple[int, int], width: float | None, height: float | None, room: tuple[float, float]
) -> tuple[float, float]:
    """Width and height in points: as wanted, else in the picture's proportions, within the room."""
    wide, high = pixels
    if width is not None:
        return width, height if height is not None else width * high / wide
    if height is not None:
        return height * wide / high, height
    scale = max(min(1.0, room[0] / wide, room[1] / high), 0.001)
    return wide * scale, high * scale


def _drawn_on(
    data: bytes,
    password: str | None,
    number: int,
    draw: Callable[[Canvas, tuple[float, float]], PageBox],
) -> tuple[PageBox, bytes]:
    encrypted = to_read(data, password).is_encrypted
    writer = to_change(data, password)
    page = page_of(writer, number)
    with broken_refused():
        size, onto = _shown(page)
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=size, invariant=True)
    box = draw(canvas, size)
    canvas.showPage()
    canvas.save()
    with broken_refused():
        page.merge_transformed_page(PdfReader(made).pages[0], onto)
    return box, written(writer, password, was_encrypted=encrypted)


def _shown(page: PageObject) -> tuple[tuple[float, float], Transformation]:
    """The size of a page as it is shown, and what brings points of that (from the bottom left) onto it."""
    area = page.cropbox
    left, bottom, width, height = (
        float(area.left),
        float(area.bottom),
        float(area.width),
        float(area.height),
    )
    match page.rotation % 360:
        case 90:
            return (height, width), Transformation((0, 1, -1, 0, left + width, bottom))
        case 180:
            return (width, height), Transformation((-1, 0, 0, -1, left + width, bottom + height))
        case 270:
            return (height, width), Transformation((0, -1, 1, 0, left, bottom + height))
    return (width, height), Transformation((1, 0, 0, 1, left, bottom))


def _off_page(what: str, size: tuple[float, float]) -> Rejected:
    return Rejected(
        f"{what} would leave the page, which is {size[0]:.0f} × {size[1]:.0f} points",
        kind=ErrorKind.INVALID_ARGUMENTS,
    )

"""What jobs on PDFs are asked, and what they say: without any library, so that the runner needs none."""

from typing import Literal

import msgspec

Style = Literal["", "bold", "italic"]
Align = Literal["left", "center", "right"]
Cell = str | int | float | bool | None
FieldType = Literal["text", "checkbox", "radio", "choice", "button", "signature"]
Value = str | bool | list[str] | None
"""Of a field."""

MOST_PARTS = 100
"""Files that one PDF is split into."""
SIZES = {
    "a3": (841.89, 1190.55),
    "a4": (595.28, 841.89),
    "a5": (419.53, 595.28),
    "letter": (612.0, 792.0),
    "legal": (612.0, 1008.0),
}
"""Points of paper, upright."""


class TextLook(msgspec.Struct, frozen=True):
    """How text looks; `color` is `#rrggbb`, `size` in points."""

    size: float = 11.0
    color: str = "#000000"
    style: Style = ""
    align: Align = "left"


class PageBox(msgspec.Struct, frozen=True):
    """A place on a page."""

    page: int
    x: float
    y: float
    width: float
    height: float


class PdfBlock(msgspec.Struct, frozen=True):
    """One of `heading`, `text`, `table` (the first row is its head) and `image` (the place of its bytes among
    those given); `width` in points is the image's."""

    heading: str | None = None
    text: str | None = None
    table: list[list[Cell]] | None = None
    image: int | None = None
    width: float | None = None
    look: TextLook = TextLook()


class Sheet(msgspec.Struct, frozen=True):
    """The paper: points, with this much free at each side."""

    width: float
    height: float
    margin: float = 54.0


class AddedRange(msgspec.Struct, frozen=True):
    """The first of the new pages, how many they are, and all pages then."""

    page: int
    pages_added: int
    page_count: int


class PageSize(msgspec.Struct, frozen=True):
    """A page as it is shown: in points, turned by `rotation` degrees."""

    page: int
    width: float
    height: float
    rotation: int


class About(msgspec.Struct, frozen=True):
    """`pages` are the sizes of all pages; `form_fields` how many fields its form has. `left_out`: what its
    text leaves out."""

    page_count: int
    encrypted: bool
    title: str | None
    author: str | None
    subject: str | None
    created: str | None
    form_fields: int
    pages: list[PageSize]
    left_out: list[str] = []


class PageRender(msgspec.Struct, frozen=True):
    """A page as a picture; `scale` is pixels per point."""

    width: int
    height: int
    scale: float


class PdfField(msgspec.Struct, frozen=True):
    """A field; `options` are the values that it takes, None where it takes any. `pages` are where it is."""

    name: str
    type: FieldType
    value: Value
    options: list[str] | None = None
    pages: list[int] = []
    multiline: bool = False
    several: bool = False
    read_only: bool = False
    required: bool = False
    max_length: int | None = None
    editable: bool = False


class PdfOpening(msgspec.Struct, frozen=True):
    """How a PDF is opened."""

    password: str | None = None


class SomeText(msgspec.Struct, frozen=True):
    """Whole pages (see `arranging.page_numbers`; None: all) until about so many characters are there."""

    password: str | None = None
    pages: str | None = None
    most: int | None = None


class OnePage(msgspec.Struct, frozen=True):
    """A page, from 1; as a picture, `form` is `png` or `jpeg`."""

    page: int
    password: str | None = None
    dpi: int = 100
    form: str = "png"


class NewPages(msgspec.Struct, frozen=True):
    """Blocks for new pages before page `before`. Given are: the PDF (no bytes for a new one), pictures, and a
    font if it `brings_font`."""

    blocks: list[PdfBlock]
    password: str | None = None
    before: int | None = None
    sheet: Sheet | None = None
    brings_font: bool = False


class PdfTextBox(msgspec.Struct, frozen=True):
    """Text at a place; a second file is its font."""

    page: int
    text: str
    x: float
    y: float
    width: float | None = None
    look: TextLook = TextLook()
    password: str | None = None


class PdfImage(msgspec.Struct, frozen=True):
    """The second file at a place."""

    page: int
    x: float
    y: float
    width: float | None = None
    height: float | None = None
    password: str | None = None


class FieldValues(msgspec.Struct, frozen=True):
    """Values for fields."""

    values: dict[str, Value]
    flatten: bool = False
    password: str | None = None


class Parts(msgspec.Struct, frozen=True):
    """Which pages go into which part (see `arranging.page_numbers`); None: each into its own."""

    ranges: list[str] | None = None
    password: str | None = None

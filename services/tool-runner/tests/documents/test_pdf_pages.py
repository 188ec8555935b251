"""What one library wrote, the other reads: pages are added, drawn on, deleted, merged and split."""

import io
from collections.abc import Callable
from pathlib import Path

import PIL.Image
import pypdfium2
import pytest
import reportlab
from pypdf import PdfReader, PdfWriter
from pypdf.generic import StreamObject

from agent_contracts.errors import ErrorKind, Rejected
from foldline_testing.tool_runner.pdf_samples import pdf_of, png_of
from tool_runner.documents.pdfs import arranging, reading
from tool_runner.documents.pdfs.composing import with_pages
from tool_runner.documents.pdfs.drawing import with_picture, with_text
from tool_runner.documents.pdfs.fonts import load_fonts
from tool_runner.documents.pdfs.left_out import PdfPage
from tool_runner.documents.pdfs.opening import MOST_PAGES, to_read, to_show
from tool_runner.documents.pdfs.terms import SIZES, PdfBlock, Sheet, TextLook

RED = (255, 0, 0)


@pytest.fixture(scope="module", autouse=True)
def fonts() -> None:
    load_fonts()


def said(data: bytes, password: str | None = None) -> list[str]:
    """The text of each page, by pdfium; pypdf must open it as well."""
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        assert reader.decrypt(password or "")
    found = [page.text for _, page in reading.texts(data, password) if isinstance(page, PdfPage)]
    assert len(reader.pages) == len(found)
    return found


def colour_at(data: bytes, x: float, y: float, page: int = 1) -> tuple[int, ...]:
    """Of a point of a page as it is shown, from the top left."""
    with pypdfium2.PdfDocument(data) as document:
        drawn = document[page - 1].render(scale=1).to_pil().convert("RGB")
    found = drawn.getpixel((int(x), int(y)))
    assert isinstance(found, tuple)
    return found


def test_a_new_pdf_is_made_of_blocks() -> None:
    blocks = [
        PdfBlock(heading="Prices"),
        PdfBlock(text="Tea & coffee <hot>\nSecond line"),
        PdfBlock(table=[["What", "Price"], ["Tea", 1.5], ["Café", 20]]),
        PdfBlock(image=0, width=100),
    ]
    added, data = with_pages(None, None, None, None, blocks, [png_of()])
    assert (added.page, added.pages_added, added.page_count) == (1, 1, 1)
    (text,) = said(data)
    for part in ("Prices", "Tea & coffee <hot>", "Second line", "What Price", "Tea 1.5", "Café 20"):
        assert part in text
    assert len(PdfReader(io.BytesIO(data)).pages[0].images) == 1


def test_the_same_blocks_give_the_same_bytes() -> None:
    blocks = [PdfBlock(text="Tea"), PdfBlock(table=[["a", "b"]])]
    assert with_pages(None, None, None, None, blocks)[1] == with_pages(None, None, None, None, blocks)[1]


def test_a_long_table_takes_pages_and_its_head_stands_on_each() -> None:
    rows: list[list[str | int | float | bool | None]] = [["Number", "Square"]]
    rows += [[number, number**2] for number in range(200)]
    added, data = with_pages(pdf_of("before"), None, 1, None, [PdfBlock(table=rows)])
    texts = said(data)
    assert added.pages_added > 1
    assert texts[-1] == "before"
    assert all("Number Square" in text for text in texts[:-1])
    assert "199 39601" in texts[-2]


def test_a_blank_page_is_like_the_one_before_or_as_asked() -> None:
    _, data = with_pages(pdf_of("one"), None, None, None, [])
    _, data = with_pages(data, None, 2, Sheet(*SIZES["a5"]), [])
    sizes = [(page.width, page.height) for page in reading.about(data, None).pages]
    assert sizes == [(300, 400), (419.53, 595.28), (300, 400)]


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_places_count_from_the_top_left_of_the_page_as_it_is_shown(turned: int) -> None:
    paper = pdf_of("one", turned=turned)
    box, data = with_picture(paper, None, 1, png_of(), (10, 30, 40, None))
    assert (box.width, box.height) == (40, 20)
    assert colour_at(data, 12, 32) == colour_at(data, 48, 48) == RED
    assert colour_at(data, 8, 32) != RED
    box, data = with_text(paper, None, 1, "MMMM", (50, 100, 200), TextLook(40, "#ff0000", "bold"))
    assert any(colour_at(data, x, 128) == RED for x in range(50, 100, 2))
    assert "MMMM" in said(data)[0]


def test_a_jpeg_stays_as_it_is_and_a_turned_one_stands_upright() -> None:
    for turned, size in ((1, (40, 20)), (6, (20, 40))):
        picture, made = PIL.Image.new("RGB", (40, 20), "red"), io.BytesIO()
        exif = picture.getexif()
        exif[0x0112] = turned
        picture.save(made, "JPEG", exif=exif)
        box, data = with_picture(pdf_of(""), None, 1, made.getvalue(), (10, 30, None, None))
        assert [box.width, box.height] == list(size)
        assert (made.getvalue() in data) == (turned == 1)
        red, green, blue = colour_at(data, 15, 35)
        assert (red > 240, green < 20, blue < 20) == (True, True, True)


def test_text_wraps_within_its_width_and_may_not_leave_the_page() -> None:
    box, data = with_text(pdf_of(""), None, 1, "tea " * 20, (20, 20, 60), TextLook(10))
    assert box.width == 60
    assert box.height > 60
    assert said(data)[0].count("\n") >= 5
    with pytest.raises(Rejected, match="leave the page") as caught:
        with_text(pdf_of(""), None, 1, "tea " * 1000, (20, 20, 60), TextLook(10))
    assert caught.value.kind == ErrorKind.INVALID_ARGUMENTS


@pytest.mark.parametrize("text", ["お茶", "🫠", "שלום", "नमस्ते", "a\0b"])
def test_letters_that_cannot_be_shown_are_refused(text: str) -> None:
    with pytest.raises(Rejected, match="can't be shown") as caught:
        with_text(pdf_of(""), None, 1, text, (20, 20, None), TextLook())
    assert (caught.value.kind, caught.value.path) == (ErrorKind.INVALID_ARGUMENTS, "/text")
    with pytest.raises(Rejected, match="can't be shown") as caught:
        with_pages(None, None, None, None, [PdfBlock(text="fine"), PdfBlock(table=[["a"], [text]])])
    assert caught.value.path == "/blocks/1/table/1"


def test_the_font_that_lacks_a_letter_is_named() -> None:
    vera = (Path(reportlab.__file__).parent / "fonts/VeraBd.ttf").read_bytes()
    with pytest.raises(Rejected, match=r"お \(U\+304A\).*the built-in font, \w+Sans[\w-]*, lacks it"):
        with_text(pdf_of(""), None, 1, "お茶", (20, 20, None), TextLook())
    with pytest.raises(Rejected, match=r"the given font, BitstreamVeraSans-Bold, has no such letter"):
        with_text(pdf_of(""), None, 1, "お茶", (20, 20, None), TextLook(), vera)


def test_fonts_are_embedded() -> None:
    _, data = with_text(pdf_of(""), None, 1, "Zażółć", (20, 20, None), TextLook())
    fonts = PdfReader(io.BytesIO(data)).pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    assert any("/FontFile2" in font.get_object().get("/FontDescriptor", {}) for font in fonts.values())
    assert "Zażółć" in said(data)[0]


def test_pages_are_deleted_split_and_merged() -> None:
    paper = pdf_of("one", "two", "three")
    left, data = arranging.without_page(paper, None, 2)
    assert (left, said(data)) == (2, ["one", "three"])
    numbers, data = arranging.part(to_read(paper, None), None, "3,1-2")
    assert (numbers, said(data)) == ([3, 1, 2], ["three", "one", "two"])
    assert PdfReader(io.BytesIO(data)).metadata.title == "A paper"  # type: ignore[union-attr]
    count, data = arranging.merged([paper, pdf_of("four", password="x")], "x")
    assert (count, said(data)) == (4, ["one", "two", "three", "four"])


def test_a_deleted_page_is_gone_from_the_bytes() -> None:
    _, data = arranging.without_page(pdf_of("one", "secret"), None, 2)
    reader = PdfReader(io.BytesIO(data))
    objects = [reader.get_object(number) for number in range(1, data.count(b" obj"))]
    streams = [one.get_data() for one in objects if isinstance(one, StreamObject)]
    assert any(b"one" in stream for stream in streams)
    assert not any(b"secret" in stream for stream in streams)


def test_what_was_encrypted_stays_so() -> None:
    _, data = with_text(pdf_of("one", password="x"), "x", 1, "more", (20, 20, None), TextLook())
    assert "more" in said(data, "x")[0]
    assert not PdfReader(io.BytesIO(data)).decrypt("")


def test_a_page_becomes_a_picture() -> None:
    found, data = reading.picture(pdf_of("one"), None, 1, dpi=144, form="png")
    assert (found.width, found.height, found.scale) == (600, 800, 2.0)
    assert data.startswith(b"\x89PNG")
    with pytest.raises(Rejected, match="take a dpi of 737 or less") as caught:
        reading.picture(pdf_of("one"), None, 1, dpi=800, form="png")
    assert caught.value.kind == ErrorKind.TOO_LARGE


@pytest.mark.parametrize(
    ("data", "password", "number", "kind"),
    [
        (pdf_of("one", password="x"), None, 1, ErrorKind.BLOCKED),
        (pdf_of("one", password="x"), "y", 1, ErrorKind.INVALID_ARGUMENTS),
        (b"%PDF-1.7 broken", None, 1, ErrorKind.REJECTED),
        (png_of(), None, 1, ErrorKind.REJECTED),
        (pdf_of("one"), None, 0, ErrorKind.INVALID_ARGUMENTS),
        (pdf_of("one"), None, 2, ErrorKind.NOT_FOUND),
    ],
    ids=["encrypted", "wrong password", "broken", "no PDF", "page 0", "beyond the end"],
)
def test_what_cannot_be_done_says_why(
    data: bytes, password: str | None, number: int, kind: ErrorKind
) -> None:
    for attempt in (
        lambda: list(reading.texts(data, password, str(number))),
        lambda: reading.picture(data, password, number, dpi=72, form="png"),
        lambda: with_text(data, password, number, "more", (20, 20, None), TextLook()),
        lambda: arranging.part(to_read(data, password), password, str(number)),
    ):
        with pytest.raises(Rejected) as caught:
            attempt()
        assert caught.value.kind == kind, caught.value.message


def blank(pages: int) -> bytes:
    writer, written = PdfWriter(), io.BytesIO()
    for _ in range(pages):
        writer.add_blank_page(72, 72)
    writer.write(written)
    return written.getvalue()


@pytest.mark.parametrize("opening", [to_read, to_show])
def test_too_many_pages_are_refused_whoever_opens_it(
    opening: Callable[[bytes, str | None], object],
) -> None:
    with pytest.raises(Rejected) as refused:
        opening(blank(MOST_PAGES + 1), None)
    assert refused.value.kind == ErrorKind.TOO_LARGE


def test_a_pdf_without_pages_can_not_be_shown() -> None:
    with pytest.raises(Rejected, match="broken"):
        to_show(blank(0), None)

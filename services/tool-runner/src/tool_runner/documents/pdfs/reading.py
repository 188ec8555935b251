"""What a PDF says of itself, and the text of its pages."""

import io
from collections.abc import Iterator

import pypdfium2
from pypdf.generic import DictionaryObject

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.pdfs.arranging import page_numbers
from tool_runner.documents.pdfs.left_out import PdfPage, beside_the_pages, comments_of, look_of
from tool_runner.documents.pdfs.opening import broken_refused, page_index, to_read, to_show
from tool_runner.documents.pdfs.terms import About, PageRender, PageSize

LARGEST_SIDE = 4_096
"""Pixels of a rendered page."""
_POINTS_PER_INCH = 72


def about(data: bytes, password: str | None) -> About:
    """What it is, and what its text leaves out beside the pages' own. `Rejected` as for `to_read`."""
    reader = to_read(data, password)
    with to_show(data, password) as document, broken_refused():
        said = document.get_metadata_dict()
        form_fields = len(reader.get_fields() or {})
        sizes = [_size(document, number) for number in range(1, len(document) + 1)]
        if not any(sizes):
            raise Rejected("the PDF is broken: none of its pages can be read")
        return About(
            page_count=len(document),
            encrypted=reader.is_encrypted,
            title=said.get("Title") or None,
            author=said.get("Author") or None,
            subject=said.get("Subject") or None,
            created=said.get("CreationDate") or None,
            form_fields=form_fields,
            pages=[one for one in sizes if one is not None],
            left_out=beside_the_pages(reader, form_fields),
        )


def texts(
    data: bytes, password: str | None, pages: str | None = None
) -> Iterator[tuple[int, PdfPage | Rejected]]:
    """Pages with their text, or why one has none to be read; all of them, or these.

    `Rejected` as for `to_show` and `page_numbers`, and where no page can be read.
    """
    with to_show(data, password) as document:
        problem: Rejected | None = None
        readable = False
        for number in page_numbers(pages or "1-", len(document)):
            try:
                text = _page(document, number)
            except Rejected as error:
                problem = problem or error
                yield number, error
            else:
                readable = True
                yield number, text
        if problem is not None and not readable:
            raise problem


def picture(
    data: bytes, password: str | None, number: int, *, dpi: int, form: str
) -> tuple[PageRender, bytes]:
    """A page as a picture (`png` or `jpeg`), with its annotations and the values of its form.

    `Rejected` as for `to_show` and `page_index`, and `too_large` beyond `LARGEST_SIDE`.
    """
    with to_show(data, password) as document:
        index = page_index(number, len(document))
        with broken_refused():
            document.init_forms()
            page = document[index]
            width, height = page.get_size()
            scale = dpi / _POINTS_PER_INCH
            if max(width, height) * scale > LARGEST_SIDE:
                fits = int(LARGEST_SIDE / max(width, height) * _POINTS_PER_INCH)
                raise Rejected(
                    f"it would be {width * scale:.0f} × {height * scale:.0f} pixels; at most {LARGEST_SIDE} "
                    f"a side are rendered: take a dpi of {fits} or less",
                    kind=ErrorKind.TOO_LARGE,
                )
            drawn = page.render(scale=scale).to_pil().convert("RGB")
        made = io.BytesIO()
        drawn.save(made, form.upper(), **({"quality": 90} if form == "jpeg" else {}))
        return PageRender(drawn.width, drawn.height, scale), made.getvalue()


def has_xfa(form: DictionaryObject) -> bool:
    """Whether a form's looks are in XFA, which no library here fills."""
    return "/XFA" in form


def _page(document: pypdfium2.PdfDocument, number: int) -> PdfPage:
    with broken_refused():
        page = document[number - 1]
        layer = page.get_textpage()
        text = layer.get_text_bounded()
        layer.close()
        look = look_of(page)
        comments = comments_of(page)
        page.close()
        return PdfPage(_lines(text), look, comments)


def _size(document: pypdfium2.PdfDocument, number: int) -> PageSize | None:
    """None: the page can't be read."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return None
    width, height = page.get_size()
    found = PageSize(number, round(width, 2), round(height, 2), page.get_rotation())
    page.close()
    return found


def _lines(text: str) -> str:
    """With one kind of line end, hyphens that pdfium marks as broken words joined, and nothing around."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "").strip()

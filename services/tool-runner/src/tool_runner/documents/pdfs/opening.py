"""PDFs that somebody made: what keeps one from being opened, each by its own kind of error."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.errors import LimitReachedError, PyPdfError

from agent_contracts.errors import ErrorKind, Rejected

MOST_PAGES = 2_000

_HEAD = 1024
"""Bytes within which `%PDF-` stands in all that viewers open."""
_NEEDS_PASSWORD = 4
"""pdfium's FPDF_ERR_PASSWORD."""


@contextmanager
def broken_refused() -> Iterator[None]:
    """`Rejected` for all that the libraries raise over files that are not as they should be."""
    try:
        yield
    except LimitReachedError as error:
        raise Rejected(f"the PDF unpacks to too much: {error}", kind=ErrorKind.TOO_LARGE) from error
    except RecursionError as error:
        raise Rejected("the PDF is broken: it is nested without end") from error
    except (
        PyPdfError,
        pypdfium2.PdfiumError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        NotImplementedError,
        AssertionError,
    ) as error:
        raise Rejected(f"the PDF is broken: {error}"[:500]) from error


def to_read(data: bytes, password: str | None) -> PdfReader:
    """The structure of a PDF.

    `Rejected`: `blocked` for one that needs a password, `invalid_arguments` where the password is wrong,
    `too_large` for more than `MOST_PAGES`, `rejected` for what is broken or no PDF.
    """
    _look(data)
    with broken_refused():
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(password or ""):
            raise _locked(password)
        _count(len(reader.pages))
        return reader


def to_change(data: bytes, password: str | None) -> PdfWriter:
    """A copy of all of it, that can be changed. `Rejected` as for `to_read`."""
    reader = to_read(data, password)
    with broken_refused():
        return PdfWriter(clone_from=reader)


def to_show(data: bytes, password: str | None) -> pypdfium2.PdfDocument:
    """Its pages as they look. `Rejected` as for `to_read`."""
    _look(data)
    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _NEEDS_PASSWORD:
            raise _locked(password) from error
        raise Rejected(f"the PDF is broken: {error}") from error
    _count(len(document))
    return document


def page_of(document: PdfReader | PdfWriter, number: int) -> PageObject:
    """A page, counted from 1. `Rejected(kind="not_found")` beyond the end."""
    with broken_refused():
        page_index(number, len(document.pages))
        return document.pages[number - 1]


def page_index(number: int, pages: int) -> int:
    """The place of page `number` among so many. `Rejected`: `invalid_arguments` before the first page,
    `not_found` beyond the last."""
    if number < 1:
        raise Rejected("pages count from 1", kind=ErrorKind.INVALID_ARGUMENTS, path="/page")
    if number > pages:
        has = f"{pages} page{'s' if pages != 1 else ''}"
        raise Rejected(f"there is no page {number}: the PDF has {has}", kind=ErrorKind.NOT_FOUND)
    return number - 1


def written(writer: PdfWriter, password: str | None, *, was_encrypted: bool = False) -> bytes:
    """Its bytes; encrypted again with the password by which it was read."""
    with broken_refused():
        _count(len(writer.pages))
        made = io.BytesIO()
        writer.write(made)
        if was_encrypted and password:  # of a writer that was changed, pypdf encrypts only a part rightly
            again = PdfWriter(clone_from=PdfReader(made))
            again.encrypt(password, algorithm="AES-256")
            made = io.BytesIO()
            again.write(made)
    return made.getvalue()


def _look(data: bytes) -> None:
    if b"%PDF-" not in data[:_HEAD]:
        raise Rejected("it is not a PDF")


def _locked(password: str | None) -> Rejected:
    if password:
        return Rejected("the password is wrong", kind=ErrorKind.INVALID_ARGUMENTS, path="/password")
    return Rejected("the PDF is encrypted, and needs a password", kind=ErrorKind.BLOCKED)


def _count(pages: int) -> None:
    if pages > MOST_PAGES:
        raise Rejected(f"the PDF has {pages} pages; at most {MOST_PAGES} are read", kind=ErrorKind.TOO_LARGE)

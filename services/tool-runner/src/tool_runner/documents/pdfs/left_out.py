"""What the text of a PDF leaves out, page by page."""

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any

import msgspec
import pypdfium2
import pypdfium2.raw as raw
from pypdf import PdfReader

from tool_runner.documents.left_out import counted, names, numbers

SEE_PAGES = "see pdf_page_to_image"
_MOST_OBJECTS = 5_000
"""Objects of a page that are looked at."""
_LITTLE_TEXT = 300
"""Characters: less than a page of writing has, as many as a footer or a stamp may have."""
_COVERS = 0.5
"""Of a page's area."""
_VISIBLE = 0.005
"""Of a page's area: less is a line, a bullet or a logo's dot."""
_MANY_DRAWN = 200
"""Lines and shapes on a page: letters that were turned into outlines are as many."""
_GARBLED = 0.2
"""The part of a text's characters that mean nothing."""
_NOT_COMMENTS = frozenset((raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_POPUP))
_LONGEST_COMMENT = 2_000
_LONGEST_CONTENTS = 1_000_000
"""Bytes of a comment, which pdfium writes as a whole or not at all."""
_MOST_COMMENTS = 200
"""Of a page."""
_IMAGES = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)


class PageLook(msgspec.Struct, frozen=True):
    """What is on a page beside its text: `covered` is the part of it under pictures, `drawn` counts lines and
    shapes."""

    covered: float = 0.0
    drawn: int = 0

    @property
    def is_something(self) -> bool:
        """Whether there is anything."""
        return bool(self.covered or self.drawn)


class PdfPage(msgspec.Struct, frozen=True):
    """A page's text, what is there beside it, and its comments."""

    text: str
    look: PageLook = PageLook()
    comments: Sequence[str] = ()

    @property
    def shown(self) -> str:
        """The text, with the comments behind it."""
        return "\n".join(filter(None, (self.text, *(f"[Comment: {one}]" for one in self.comments))))


class LeftOutOfPdf:
    """Collects what the pages' texts leave out."""

    def __init__(self) -> None:
        self._silent: list[int] = []
        self._covered: list[int] = []
        self._pictures: list[int] = []
        self._garbled: list[int] = []
        self._broken: list[int] = []

    def take(self, number: int, page: PdfPage | None) -> None:
        """One more page; None: it can't be read."""
        if page is None:
            self._broken.append(number)
            return
        look = page.look
        if not page.text:
            if look.is_something:
                self._silent.append(number)
        elif _is_garbled(page.text):
            self._garbled.append(number)
        elif len(page.text) < _LITTLE_TEXT and (look.covered >= _COVERS or look.drawn >= _MANY_DRAWN):
            self._covered.append(number)
        elif look.covered >= _VISIBLE:
            self._pictures.append(number)

    def sentences(self) -> list[str]:
        """What there is to say; nothing where the text has all of it."""
        said = {
            f"no text on {_pages(self._silent)} (a picture or drawing): {SEE_PAGES}": self._silent,
            f"little text on {_pages(self._covered)}, which a picture or drawing fills: {SEE_PAGES}": (
                self._covered
            ),
            f"the text of {_pages(self._garbled)}, whose letters have no meaning: {SEE_PAGES}": self._garbled,
            f"what the pictures on {_pages(self._pictures)} show: {SEE_PAGES}": self._pictures,
            f"{_pages(self._broken)}, which can't be read": self._broken,
        }
        return [sentence for sentence, pages in said.items() if pages]


def look_of(page: pypdfium2.PdfPage) -> PageLook:
    """What is on a page beside its text."""
    width, height = page.get_size()
    covered, drawn = 0.0, 0
    for count, found in enumerate(page.get_objects(max_depth=1)):
        if count >= _MOST_OBJECTS:
            break
        is_form = found.type == raw.FPDF_PAGEOBJ_FORM
        if found.type in _IMAGES or (is_form and _has_picture(found)):
            left, bottom, right, top = found.get_bounds()
            covered += max(0.0, right - left) * max(0.0, top - bottom)
        drawn += is_form or found.type == raw.FPDF_PAGEOBJ_PATH
    return PageLook(min(1.0, covered / max(1.0, width * height)), drawn)


def comments_of(page: pypdfium2.PdfPage) -> list[str]:
    """What people noted on a page."""
    said = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_COMMENTS)):
        note = raw.FPDFPage_GetAnnot(page, index)
        if note:
            if raw.FPDFAnnot_GetSubtype(note) not in _NOT_COMMENTS:
                said.append(" ".join(_contents(note).split())[:_LONGEST_COMMENT])
            raw.FPDFPage_CloseAnnot(note)
    return [one for one in said if one]


def _contents(note: Any) -> str:
    length = raw.FPDFAnnot_GetStringValue(note, b"Contents", None, 0)
    if length > _LONGEST_CONTENTS:
        return "(a comment that is too long to be read)"
    text = (ctypes.c_ushort * (length // 2 + 1))()
    raw.FPDFAnnot_GetStringValue(note, b"Contents", text, length)
    return bytes(text)[:length].decode("utf-16-le", "replace").rstrip("\0")


def beside_the_pages(reader: PdfReader, form_fields: int) -> list[str]:
    """What a PDF holds that is on no page's text."""
    said = []
    if form_fields:
        said.append(f"the values of {counted(form_fields, 'form field')}: see pdf_get_form_fields")
    attached = list(reader.attachments)
    if attached:
        said.append(f"{counted(len(attached), 'attached file')}, which can't be read here: {names(attached)}")
    return said


def _has_picture(form: pypdfium2.PdfObject) -> bool:
    inside = itertools.islice(form.page.get_objects(form=form, max_depth=10, level=1), _MOST_OBJECTS)
    return any(found.type in _IMAGES for found in inside)


def _is_garbled(text: str) -> bool:
    letters = [letter for letter in text if not letter.isspace()]
    strange = sum(
        letter == "\ufffd" or "\ue000" <= letter <= "\uf8ff" or letter < " " or "\x7f" <= letter < "\xa0"
        for letter in letters
    )
    return strange > len(letters) * _GARBLED


def _pages(found: Sequence[int]) -> str:
    return f"page{'s' if len(found) > 1 else ''} {numbers(found)}"

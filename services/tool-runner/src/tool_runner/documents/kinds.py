"""What a file is by its bytes: which job reads its text, else why none can and what to do. Pure."""

import re
import zipfile
import zlib

from agent_domain.files.media_types import BYTES

_HTML = ("text/html", "application/xhtml+xml")
_MAIL = ("message/rfc822", "multipart/related", "application/x-mimearchive")
_PAGE_STARTS = (b"<!doctype html", b"<html")
_LOOKED_AT = 1024
_LONGEST_TYPE = 128
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD_BODY = re.compile(rb"word/document\d*\.xml")

_OLE_KINDS = (
    ("EncryptedPackage", "it is protected by a password: save it without one"),
    ("WordDocument", "it is an old .doc document: save it as .docx or PDF"),
    ("PowerPoint Document", "it is an old .ppt presentation: save it as .pptx or PDF"),
    ("__substg1.0_", "it is an Outlook .msg message: save it as .eml or text"),
    ("__properties_version1.0", "it is an Outlook .msg message: save it as .eml or text"),
)
_OLE_SHEETS = ("Workbook", "Book")
_BEGINNINGS = (
    (b"\xff\xd8\xff", "it is a picture: see file_view"),
    (b"\x89PNG", "it is a picture: see file_view"),
    (b"GIF8", "it is a picture: see file_view"),
    (b"\x1f\x8b", "it is packed (gzip): unpack it first"),
    (b"BZh", "it is packed (bzip2): unpack it first"),
    (b"\xfd7zXZ", "it is packed (xz): unpack it first"),
    (b"\x28\xb5\x2f\xfd", "it is packed (zstd): unpack it first"),
    (b"7z\xbc\xaf", "it is a 7z archive: unpack it first"),
    (b"Rar!", "it is a RAR archive: unpack it first"),
    (b"AT&TFORM", "it is a DjVu document: save it as a PDF"),
    (b"\xffWPC", "it is a WordPerfect document: save it as .docx or PDF"),
    (b"SQLite format 3", "it is an SQLite database"),
    (b"%!PS", "it is PostScript: save it as a PDF"),
    (b"{\\pwi", "it is a Pocket Word document: save it as .docx or PDF"),
)
_TYPES = (
    ("image/", "it is a picture: see file_view, or image_convert for a form that file_view shows"),
    ("audio/", "it is sound: ask for a transcript"),
    ("video/", "it is a film: ask for a transcript or pictures of it"),
    ("font/", "it is a font"),
)
_ENDINGS = {
    ".doc": "an old .doc document: save it as .docx or PDF",
    ".ppt": "an old .ppt presentation: save it as .pptx or PDF",
    ".msg": "an Outlook .msg message: save it as .eml or text",
    ".pages": "a document of Pages: export it as .docx or PDF",
    ".numbers": "a workbook of Numbers: export it as .xlsx",
    ".key": "a presentation of Keynote: export it as .pptx or PDF",
    ".mobi": "a Kindle book: convert it to .epub",
    ".azw3": "a Kindle book: convert it to .epub",
    ".pst": "an Outlook mailbox: export its messages as .eml",
    ".one": "a section of OneNote: export it as .docx or PDF",
    ".vsd": "a drawing of Visio: save it as a PDF",
    ".pub": "a document of Publisher: save it as a PDF",
}
_OTHERWISE = "save it as PDF, .docx, .xlsx, .pptx or text"


def job_of(data: bytes, media_type: str) -> str | None:
    """The job that gives the text of a document; None for plain text and all that none can read."""
    beginning = data[:_LOOKED_AT]
    kind = media_type.partition(";")[0].strip().lower()
    if b"%PDF-" in beginning and not kind.startswith("text/"):
        return "pdfs.text"
    if beginning.startswith(b"PK\x03\x04"):
        return _job_of_zip(data)
    if beginning.startswith(_OLE):
        return "sheets.text" if any(_in_ole(data, name) for name in _OLE_SHEETS) and not _ole(data) else None
    if beginning.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"{\\rtf"):
        return "office.rtf"
    if kind in _MAIL:
        return "office.mail"
    if b"<office:document" in beginning and b"opendocument" in beginning:
        return "sheets.text" if b".spreadsheet" in beginning else "office.opendocument"
    if kind in _HTML or beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE_STARTS):
        return "pages.page"
    return None


def why_unreadable(data: bytes, media_type: str, path: str) -> str:
    """A sentence for what no job reads and is no plain text: what it is, and what to do."""
    if data.startswith(_OLE) and (said := _ole(data)):
        return said
    if data.startswith(b"PK"):
        if b"Index/Document.iwa" in data or b"Index.zip" in data:
            return "it is a document of Pages, Numbers or Keynote: export it as PDF, .docx, .xlsx or .pptx"
        if not _named(path):
            return "it is a zip archive: unpack it first"
    if data[60:68] == b"BOOKMOBI":
        return "it is a Kindle book: convert it to .epub"
    for beginning, said in _BEGINNINGS:
        if data.startswith(beginning):
            return said
    for start, said in _TYPES:
        if media_type.startswith(start):
            return said
    if (named := _named(path)) is not None:
        return f"it is {named}"
    what = "no text" if media_type in ("", BYTES) else media_type
    return f"it is {what}, a type that can't be read here: {_OTHERWISE}"


def _job_of_zip(data: bytes) -> str | None:
    """By the first entry where the format wants one, else by the names in the list at the end."""
    said = _first_entry(data)
    if said:
        if said.startswith(b"application/epub+zip"):
            return "office.epub"
        if said.startswith(_OPEN_DOCUMENT):
            is_sheet = said[len(_OPEN_DOCUMENT) :].startswith(b"spreadsheet")
            return "sheets.text" if is_sheet else "office.opendocument"
    if _WORD_BODY.search(data):
        return "office.docx"
    if b"xl/workbook." in data:
        return "sheets.text"
    if b"ppt/presentation.xml" in data:
        return "office.pptx"
    if b"META-INF/container.xml" in data and b".opf" in data:
        return "office.epub"
    if b"META-INF/manifest.xml" in data and b"content.xml" in data:
        return "office.opendocument"
    return None


def _first_entry(data: bytes) -> bytes:
    """What the entry `mimetype` says, if it is the first; packed or not."""
    if data[30:38] != b"mimetype":
        return b""
    begin = 38 + int.from_bytes(data[28:30], "little")
    if int.from_bytes(data[8:10], "little") == zipfile.ZIP_STORED:
        return data[begin : begin + _LONGEST_TYPE]
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data[begin : begin + 1024], _LONGEST_TYPE)
    except zlib.error:
        return b""


def _ole(data: bytes) -> str | None:
    return next((said for name, said in _OLE_KINDS if _in_ole(data, name)), None)


def _in_ole(data: bytes, name: str) -> bool:
    """Whether a compound file has a stream whose name begins so."""
    return name.encode("utf-16-le") in data


def _named(path: str) -> str | None:
    dot = path.rfind(".")
    return _ENDINGS.get(path[dot:].lower()) if dot >= 0 else None

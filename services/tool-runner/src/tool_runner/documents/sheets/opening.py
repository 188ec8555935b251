"""What the bytes of a workbook are, before anything is made of them."""

import io
import re
import zipfile

import msgspec

from agent_contracts.errors import Rejected
from egress.charset import decoded
from tool_runner.documents.sheets.dialects import DelimitedTable, table_of
from tool_runner.documents.sheets.options import TableOptions
from tool_runner.documents.zips import checked_zip

_OLE = b"\xd0\xcf\x11\xe0"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_MANIFEST = "[Content_Types].xml"
_XML_START = 2_000
_NONE_OF_THEM = "it is not a workbook: .xlsx, .xls, .ods, .csv and .tsv can be read"
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/([\w/]+)")


class OldWorkbook(msgspec.Struct, frozen=True):
    """An .xls workbook."""

    data: bytes


class OpenWorkbookArchive(msgspec.Struct, frozen=True):
    """An .xlsx or .xlsm workbook: its bytes in the transitional form, and its parts."""

    data: bytes
    archive: zipfile.ZipFile


class OpenDocumentSheets(msgspec.Struct, frozen=True):
    """The part of an .ods or .fods workbook that has its cells."""

    content: bytes


Source = OpenWorkbookArchive | OldWorkbook | OpenDocumentSheets | DelimitedTable


def opened(data: bytes, table: TableOptions) -> Source:
    """What the bytes of a workbook or a table of text are. `Rejected` for what is neither."""
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Rejected("the workbook is protected by a password: save it without one")
        return OldWorkbook(data)
    if b"<office:document" in data[:_XML_START] and b"spreadsheet" in data[:_XML_START]:
        return OpenDocumentSheets(data)
    if not data.startswith(_ZIP):
        return _table(data, table)
    archive = checked_zip(data, "workbook")
    names = set(archive.namelist())
    if "xl/workbook.bin" in names:
        raise Rejected("it is an .xlsb workbook, which can't be read: save it as .xlsx")
    if "content.xml" in names and "META-INF/manifest.xml" in names:
        return _open_document(archive)
    if _MANIFEST not in names or not any(name.startswith("xl/") for name in names):
        raise Rejected(_NONE_OF_THEM)
    for name in names:
        if name.endswith((".xml", ".rels", ".vml")):
            _check_xml(archive, name)
    if _STRICT in _start_of(archive, "xl/workbook.xml"):
        data = _transitional(archive)
        archive = zipfile.ZipFile(io.BytesIO(data))
    return OpenWorkbookArchive(data, archive)


def _open_document(archive: zipfile.ZipFile) -> OpenDocumentSheets:
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise Rejected("the workbook is protected by a password: save it without one")
    _check_xml(archive, "content.xml")
    try:
        return OpenDocumentSheets(archive.read("content.xml"))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise Rejected(f"the workbook is broken: {error}") from error


def _transitional(archive: zipfile.ZipFile) -> bytes:
    """A workbook in Strict Open XML in the namespaces that the library knows; all else is the same."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as written:
        for name in archive.namelist():
            part = archive.read(name)
            if name.endswith((".xml", ".rels", ".vml")):
                part = _STRICT_NAME.sub(_transitional_name, part)
            written.writestr(name, part)
    return made.getvalue()


def _transitional_name(found: re.Match[bytes]) -> bytes:
    """`…/ooxml/drawingml/main` is `…/drawingml/2006/main`."""
    family, rest = found.groups()
    return b"http://schemas.openxmlformats.org/" + family + b"/2006/" + rest


def _start_of(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as part:
            return part.read(_XML_START)
    except KeyError:
        return b""


def _check_xml(archive: zipfile.ZipFile, name: str) -> None:
    """No program writes workbooks with a document type, in which entities grow, or in another encoding."""
    try:
        with archive.open(name) as part:
            start = part.read(_XML_START)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise Rejected(f"the workbook is broken: {error}") from error
    if b"\0" in start or b"<!DOCTYPE" in start or b"<!ENTITY" in start:
        raise Rejected(f"the workbook is not as a program writes it: {name} declares a document type")


def _table(data: bytes, options: TableOptions) -> DelimitedTable:
    text = decoded(data, "")
    if "\0" in text:
        raise Rejected(_NONE_OF_THEM)
    return table_of(text, options)

"""What the bytes of a workbook are, before anything is made of them."""

import csv
import re
import zipfile
from collections.abc import Iterator

import msgspec

from agent_contracts.errors import Rejected
from egress.charset import decoded
from tool_runner.documents.zips import checked_zip

_OLE = b"\xd0\xcf\x11\xe0"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_MANIFEST = "[Content_Types].xml"
_DELIMITERS = ",;\t|"
_SNIFFED = 20_000
_XML_START = 2_000
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")


class Table(msgspec.Struct, frozen=True):
    """A table of text (CSV, TSV), whose values are numbers and texts."""

    text: str
    dialect: type[csv.Dialect]

    def rows(self) -> Iterator[list[str | int | float | None]]:
        """Its rows. `Rejected` for one that is none."""
        try:
            for row in csv.reader(self.text.splitlines(keepends=True), self.dialect):
                yield [_value(text) for text in row]
        except csv.Error as error:
            raise Rejected(f"the table can't be read as CSV: {error}") from error


def opened(data: bytes) -> zipfile.ZipFile | Table:
    """The archive of a workbook (.xlsx, .xlsm), or a table of text. `Rejected` for what is neither."""
    if data.startswith(_OLE):
        raise Rejected(
            "it is an old .xls workbook, or one that is protected by a password: save it as .xlsx without one"
        )
    if not data.startswith(_ZIP):
        return _table(data)
    archive = checked_zip(data, "workbook")
    names = set(archive.namelist())
    if "xl/workbook.bin" in names:
        raise Rejected("it is an .xlsb workbook, which can't be read: save it as .xlsx")
    if _MANIFEST not in names or not any(name.startswith("xl/") for name in names):
        raise Rejected("it is not a workbook: .xlsx, .csv and .tsv can be read")
    for name in names:
        if name.endswith((".xml", ".rels", ".vml")):
            _check_xml(archive, name)
    return archive


def _check_xml(archive: zipfile.ZipFile, name: str) -> None:
    """No program writes workbooks with a document type, in which entities grow, or in another encoding."""
    try:
        with archive.open(name) as part:
            start = part.read(_XML_START)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise Rejected(f"the workbook is broken: {error}") from error
    if b"\0" in start or b"<!DOCTYPE" in start or b"<!ENTITY" in start:
        raise Rejected(f"the workbook is not as a program writes it: {name} declares a document type")


def _table(data: bytes) -> Table:
    text = decoded(data, "")
    if "\0" in text:
        raise Rejected("it is not a workbook: .xlsx, .csv and .tsv can be read")
    csv.field_size_limit(10_000_000)
    try:
        dialect = csv.Sniffer().sniff(text[:_SNIFFED], _DELIMITERS)
    except csv.Error:  # one column, or what only looks like one
        dialect = csv.excel
    return Table(text, dialect)


def _value(text: str) -> str | int | float | None:
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text

"""Workbooks, tables and pictures that somebody made to do harm: each ends in an error that says why."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import openpyxl
import pytest
from PIL import Image

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.documents import Documents
from tool_runner.documents.images.options import Convert, Resize
from tool_runner.documents.messages import DocumentJob
from tool_runner.documents.sheets.options import (
    ChangeRows,
    OfCell,
    OfWorkbook,
    ReadCells,
    SheetChange,
    SheetRef,
    WriteCells,
)
from tool_runner.documents.sheets.write_jobs import write_cells

SHEET = "xl/worksheets/sheet1.xml"
NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
CELL = '<row r="1"><c r="A1"><v>1</v></c></row>'
LAUGHS = "".join(
    f'<!ENTITY a{number} "{(f"&a{number - 1};" if number else "haha") * 10}">' for number in range(10)
)


@cache
def book() -> bytes:
    return write_cells((b"",), WriteCells(values=((1, 2), ("a", "b")))).outputs[0]


def changed(parts: dict[str, bytes], of: bytes | None = None) -> bytes:
    """A workbook with these parts instead of its own."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(of or book())) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            if name not in parts:
                new.writestr(name, old.read(name))
        for name, content in parts.items():
            new.writestr(name, content)
    return made.getvalue()


def sheet(rows: str, *, before: str = "", after: str = "", doctype: str = "") -> bytes:
    inner = f"{before}<sheetData>{rows}</sheetData>{after}"
    text = f'<?xml version="1.0"?>{doctype}<worksheet {NS}>{inner}</worksheet>'
    return changed({SHEET: text.encode()})


pytestmark = pytest.mark.faults

Bounded = Callable[[], AbstractContextManager[None]]
BOTH = ("read", "write")
WORKBOOKS: dict[str, tuple[Callable[[], bytes], Sequence[str], str]] = {
    "row 10^9": (
        lambda: sheet('<row r="1000000000"><c r="A1000000000"><v>1</v></c></row>'),
        BOTH,
        "1,048,576 rows",
    ),
    "column ZZZZZZ": (lambda: sheet('<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>'), BOTH, "broken"),
    "all merged": (
        lambda: sheet(CELL, after='<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
        BOTH[1:],
        "merged",
    ),
    "all linked": (
        lambda: sheet(CELL, after='<hyperlinks><hyperlink ref="A1:XFD1048576"/></hyperlinks>'),
        BOTH[1:],
        "linked",
    ),
    "laughs": (
        lambda: sheet(
            '<row r="1"><c r="A1" t="str"><v>&a9;</v></c></row>', doctype=f"<!DOCTYPE x [{LAUGHS}]>"
        ),
        BOTH,
        "document type",
    ),
    "laughs behind a comment": (
        lambda: sheet(
            '<row r="1"><c r="A1" t="str"><v>&a9;</v></c></row>',
            doctype=f"<!--{' x' * 2000}--><!DOCTYPE x [{LAUGHS}]>",
        ),
        BOTH,
        "broken",
    ),
    "bomb": (lambda: changed({SHEET: b" " * 8_000_000}), BOTH, "100 times"),
    "bomb beside": (lambda: changed({"xl/media/x.png": b"\0" * 8_000_000}), BOTH, "100 times"),
    "slip": (lambda: changed({"../../etc/cron.d/x": b"x"}), BOTH, "an entry of it"),
    "absolute": (lambda: changed({"/etc/cron.d/x": b"x"}), BOTH, "an entry of it"),
    "drive": (lambda: changed({"C:/evil.txt": b"x"}), BOTH, "an entry of it"),
    "2,500 entries": (lambda: changed({f"xl/x{number}": b"" for number in range(2500)}), BOTH, "entries"),
    "truncated": (lambda: book()[:-200], BOTH, "broken"),
    "no zip": (lambda: b"PK\x03\x04 and nothing", BOTH, "broken"),
    "broken XML": (lambda: changed({SHEET: b"<worksheet"}), BOTH, "broken"),
    "no such text": (lambda: sheet('<row r="1"><c r="A1" t="s"><v>99</v></c></row>'), BOTH, "broken"),
    "old .xls": (lambda: b"\xd0\xcf\x11\xe0" + b"x" * 1000, BOTH, r"\.xls"),
    "picture": (lambda: b"\x89PNG\r\n\x1a\n\0\0", BOTH, "not a workbook"),
    "archive of others": (lambda: changed({}).replace(b"xl/", b"wd/"), BOTH, "not a workbook"),
    "500,000 columns": (lambda: b"x," * 500_000, BOTH[:1], "16,384 columns"),
    "one endless cell": (lambda: b'"' + b"x" * 20_000_000, BOTH[:1], "CSV"),
}


@pytest.mark.parametrize(
    ("name", "how"), [(name, how) for name, (_, hows, _) in WORKBOOKS.items() for how in hows]
)
async def test_a_hostile_workbook_ends_in_an_error(
    documents: Documents, name: str, how: str, within_bounds: Bounded
) -> None:
    make, _, why = WORKBOOKS[name]
    job = DocumentJob(
        f"sheets.{how}", (make(),), ReadCells() if how == "read" else WriteCells(values=((1,),))
    )
    with within_bounds(), pytest.raises(Rejected, match=why):
        await documents.run(job)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sheet(CELL, before='<dimension ref="A1:XFD1000000000"/>'),
        lambda: sheet(CELL, before='<cols><col min="1" max="1000000000" width="3"/></cols>'),
        lambda: sheet(CELL, after='<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    ],
    ids=["dimension", "columns", "merged"],
)
async def test_what_a_sheet_only_declares_is_not_believed(
    documents: Documents, make: Callable[[], bytes]
) -> None:
    found = (await documents.run(DocumentJob("sheets.read", (make(),), ReadCells()))).value
    assert isinstance(found, dict)
    assert (found["range"], found["rows"]) == ("A1", [[1]])


async def test_of_a_workbook_that_is_partly_broken_the_rest_is_read(documents: Documents) -> None:
    cut = f"<worksheet {NS}><sheetData>{CELL}<row r='2'><c r='A2'><v>2</v></c></row><row"
    data = changed({SHEET: cut.encode()})

    async def did(name: str, options: object) -> dict[str, Any]:
        value = (await documents.run(DocumentJob(f"sheets.{name}", (data,), options))).value
        assert isinstance(value, dict)
        return value

    found = await did("read", ReadCells())
    assert (found["range"], found["rows"]) == ("A1:A2", [[1], [2]])
    assert "'Sheet1' is broken" in found["problem"]
    assert (await did("summary", SheetRef()))["problem"] == found["problem"]
    [one] = (await did("list", OfWorkbook()))["sheets"]
    assert (one["used"], one["problem"]) == ("A1:A2", found["problem"])
    assert (await did("text", {}))["content"] == (
        f"# Sheet1\n\n1\n2\n[The rest is left out: {found['problem']}]"
    )
    assert (await did("cell", OfCell(None, "A2")))["value"] == 2
    for name, options in (("cell", OfCell(None, "A3")), ("read", ReadCells(range="A3:A4"))):
        with pytest.raises(Rejected, match="is broken"):
            await did(name, options)


async def test_a_broken_sheet_keeps_nobody_from_the_others(documents: Documents) -> None:
    workbook = openpyxl.Workbook()
    for name in ("Bad", "Good"):
        workbook.create_sheet(name)["A1"] = 7
    made = io.BytesIO()
    workbook.save(made)
    data = changed({"xl/worksheets/sheet2.xml": b"<worksheet"}, made.getvalue())
    found = (await documents.run(DocumentJob("sheets.list", (data,), OfWorkbook()))).value
    assert isinstance(found, dict)
    told = [(one["name"], one["used"], one["problem"] is None) for one in found["sheets"]]
    assert told == [("Sheet", None, True), ("Bad", None, False), ("Good", "A1", True)]
    text = (await documents.run(DocumentJob("sheets.text", (data,), {}))).value
    assert isinstance(text, dict)
    assert "# Good\n\n7" in text["content"]
    assert "[The rest is left out: the sheet 'Bad' is broken" in text["content"]
    cells = (await documents.run(DocumentJob("sheets.read", (data,), ReadCells(sheet="Good")))).value
    assert isinstance(cells, dict)
    assert cells["rows"] == [[7]]


async def test_cells_far_apart_are_not_a_sheet_full_of_cells(documents: Documents) -> None:
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    job = DocumentJob("sheets.read", (sheet(CELL + far),), ReadCells(most=10))
    found = (await documents.run(job)).value
    assert isinstance(found, dict)
    assert (found["range"], found["next_range"]) == ("A1:XFD1", "A2:XFD1048576")
    with pytest.raises(Rejected) as refused:
        await documents.run(DocumentJob("sheets.insert_rows", (sheet(CELL + far),), ChangeRows(row=1)))
    assert refused.value.path == "/count"


async def test_the_only_sheet_stays(documents: Documents) -> None:
    with pytest.raises(Rejected, match="needs one"):
        await documents.run(DocumentJob("sheets.delete_sheet", (book(),), SheetChange(sheet="Sheet1")))


def png(width: int, height: int, rows: bytes) -> bytes:
    """A PNG that says it has this size."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def noise(form: str) -> bytes:
    made = io.BytesIO()
    Image.effect_noise((500, 500), 50).save(made, form)
    return made.getvalue()


def frames() -> bytes:
    made = io.BytesIO()
    first, *rest = (Image.new("P", (3000, 3000), number) for number in range(6))
    first.save(made, "GIF", save_all=True, append_images=rest)
    return made.getvalue()


PICTURES: dict[str, tuple[Callable[[], bytes], ErrorKind, str]] = {
    "10^10 pixels": (lambda: png(100_000, 100_000, b"\0" * 1000), ErrorKind.TOO_LARGE, "50 megapixels"),
    "too few rows": (lambda: png(5000, 5000, b"\0" * 100), ErrorKind.REJECTED, "broken"),
    "truncated PNG": (lambda: noise("PNG")[:3000], ErrorKind.REJECTED, "broken"),
    "truncated JPEG": (lambda: noise("JPEG")[:3000], ErrorKind.REJECTED, "broken"),
    "SVG": (lambda: b'<?xml version="1.0"?>\n<svg xmlns="x"></svg>', ErrorKind.REJECTED, "SVG"),
    "PostScript": (
        lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        ErrorKind.REJECTED,
        "not a picture",
    ),
    "text": (lambda: b"hello", ErrorKind.REJECTED, "not a picture"),
    "nothing": (lambda: b"", ErrorKind.REJECTED, "not a picture"),
    "many large frames": (frames, ErrorKind.TOO_LARGE, "moves"),
}


@pytest.mark.parametrize("name", PICTURES)
async def test_a_hostile_picture_ends_in_an_error(
    documents: Documents, name: str, within_bounds: Bounded
) -> None:
    make, kind, why = PICTURES[name]
    job = DocumentJob("images.resize", (make(),), Resize(width=30))
    with within_bounds(), pytest.raises(Rejected, match=why) as refused:
        await documents.run(job)
    assert refused.value.kind == kind


async def test_what_a_png_has_beyond_its_size_is_not_unpacked(documents: Documents) -> None:
    made = await documents.run(
        DocumentJob("images.convert", (png(10, 10, b"\0" * 20_000_000),), Convert(form="jpeg"))
    )
    assert made.value == {"width": 10, "height": 10}


async def test_a_picture_of_50_megapixels_fits_into_the_memory_of_a_job(documents: Documents) -> None:
    data = io.BytesIO()
    Image.new("RGB", (7000, 7000), "red").save(data, "PNG")
    for name, options in (("resize", Resize(width=300)), ("convert", Convert(form="jpeg"))):
        made = await documents.run(DocumentJob(f"images.{name}", (data.getvalue(),), options))
        assert made.outputs[0]


async def test_no_job_is_given_or_makes_more_than_passes(documents: Documents) -> None:
    with pytest.raises(Rejected) as refused:
        await documents.run(DocumentJob("images.about", (bytes(70_000_000),) * 2))
    assert refused.value.kind == ErrorKind.TOO_LARGE

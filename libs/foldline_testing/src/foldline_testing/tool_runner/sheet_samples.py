"""Workbooks for tests."""

import base64
import io
import zipfile
import zlib
from collections.abc import Mapping

import openpyxl
from openpyxl.comments import Comment

from foldline_testing.tool_runner.office_samples import odf_of

_XLS = (
    "eNrtWE1oE1EQ/t5LNn+m+amp0AoxFKxa24N48dKuSmxPqVEEf0HTJofSkkr0oB60WnMUBE+Kl0I9eKl68Qc91JsHoeIPgiAk"
    "evQkKHhos86b3W3SWqEBDaTst7x5b+fN7JudmTf782Y+Wpp+1FHGCvTDhYrhh6eGJ6j57ZMIaN4w1NDufdQMB00Fv48C6dHw"
    "vOW1V8VQxbsMiYful0SBL9RO4SyGJvK5RAOxn23ICGVDn3BT7kncpRZCO9vVynSE6UamD1j2BdO9zLnBtI9kS+IE5vWh7j1W"
    "Hh+TnTwXIirwhHU+MWcX2vBK5fGVm8KU1bCvMJoZb7KJuDuIGVBIB3P5XEGdh3EPAeA4oTeV6k0mS4hRuGfw00gAP+x9PZdw"
    "+I3lCxD/13K+9y98HwVxJf+WdAOTMM4IlcxFSuqg29zK6cLoSO5cERvwQVO54cLB8eyCtXdUcwFHchnKnAsBVdu5FkSW1YIW"
    "3iFBolmEeRxlzQiZsnD/+9vUcFo/zZxJrv/mU2KrMgkGrioNUg7xjGuJdrPGTqbX+KqbedzBNEZJTH1Xus0aDEyxzHWe7aJ1"
    "djPe6dtqxttpXPx26Gm8+FXfQePZwfKl2OxHfRqd9NTKkr46ptAjesSd2wrPdLsXlk8+M23/o7b4ZMSy3bAehWEsqt1EiDK9"
    "LAPs0yhOSlNesC+q8kpCcOUaeC9ZwoxCVUKTPuZFSc6DLZa3Ta8ZlpgfSVKai0to/bIVj5U8lbsqGhFIsUSbNZBi1UCqO2Kv"
    "YjWvOnDgwIEDBw4crAuI6pcA1KueZr0ueq3/OovUKs5vknWLw5ig4zx9Uh5AnvoCLtaVP5ugCftaYo069v9ChaO0egFjGGY7"
    "xurOX3rdF7X3s2bFyL/bQvWuX6nHzv+8/m++evtW"
)
_STRICT = (
    (b"http://schemas.openxmlformats.org/spreadsheetml/2006/", b"http://purl.oclc.org/ooxml/spreadsheetml/"),
    (
        b"http://schemas.openxmlformats.org/officeDocument/2006/",
        b"http://purl.oclc.org/ooxml/officeDocument/",
    ),
)


def xls() -> bytes:
    """An .xls workbook that xlwt made: a sheet `Prices` with a text, 1.5, a date, true and a formula, and a
    hidden one."""
    return zlib.decompress(base64.b64decode(_XLS))


def ods() -> bytes:
    """An .ods workbook: rows and cells that repeat, a date, a comment, a formula and a hidden sheet."""
    cell = "<table:table-cell office:value-type"
    return odf_of(
        "spreadsheet",
        "<table:table table:name='Prices'>"
        f"<table:table-row>{cell}='string'><text:p>Tea</text:p><office:annotation><text:p>Which?</text:p>"
        f"</office:annotation></table:table-cell><table:table-cell/>{cell}='float' office:value='1.5'/>"
        "</table:table-row>"
        f"<table:table-row>{cell}='date' office:date-value='2026-11-27' table:number-columns-repeated='2'/>"
        f"{cell}='float' office:value='3' table:formula='of:=[.C1]*2'/></table:table-row>"
        "<table:table-row table:number-rows-repeated='1048573'><table:table-cell "
        "table:number-columns-repeated='1024'/></table:table-row>"
        f"<table:table-row>{cell}='boolean' office:boolean-value='true'/></table:table-row></table:table>"
        "<table:table table:name='Old' table:style-name='h'><table:table-row><table:table-cell/>"
        "</table:table-row></table:table>",
        "<style:style style:name='h'><style:table-properties table:display='false'/></style:style>",
    )


def xlsx(*, strict: bool = False) -> bytes:
    """An .xlsx workbook: formulas that nobody computed, a comment, a hidden sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices"
    sheet["A1"], sheet["B1"], sheet["A2"], sheet["A3"] = "Tea", 1.5, "=B1*2", "=B1*3"
    sheet["B1"].comment = Comment("Too much?", "Ann")
    hidden = book.create_sheet("Old")
    hidden["A1"] = "x"
    hidden.sheet_state = "hidden"
    made = io.BytesIO()
    book.save(made)
    return as_strict(made.getvalue()) if strict else made.getvalue()


def as_strict(data: bytes) -> bytes:
    """The same workbook in Strict Open XML."""
    parts = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            part = archive.read(name)
            for usual, strict in _STRICT:
                part = part.replace(usual, strict)
            parts[name] = part
    return _zipped(parts)


def sheet_of(data: bytes, rows: bytes) -> bytes:
    """The workbook with other rows in its first sheet."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    part = parts["xl/worksheets/sheet1.xml"]
    begin, end = part.index(b"<sheetData>") + len(b"<sheetData>"), part.index(b"</sheetData>")
    parts["xl/worksheets/sheet1.xml"] = part[:begin] + rows + part[end:]
    return _zipped(parts)


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return made.getvalue()

"""The tools for workbooks, as calls: over real files, in real confined processes, read by another reader."""

import asyncio
import io
import zipfile
from typing import Any

import pytest
from lxml import etree

from agent_contracts.errors import ErrorKind
from agent_contracts.json_value import Json
from foldline_testing.tool_runner.documents import done, ended, got, put
from foldline_testing.tool_runner.world import World

NS = {"s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
SHEET = "xl/worksheets/sheet1.xml"
ROWS: list[Json] = [
    ["Name", "Amount", "When", "Total"],
    ["Ann", 3, "2026-11-22", "=B2*2"],
    ["Bob", 4.5, None, "=SUM(B2:B3)"],
    ["'=x", True, "2026-11-22T10:30:00", "=Data!B2+$B$3"],
]


async def book(world: World, path: str = "a/book.xlsx") -> None:
    await done(world, "spreadsheet_write_range", path=path, sheet="Data", values=ROWS)


def part(data: bytes, name: str = SHEET) -> Any:
    """A part of a workbook, as any reader of XML sees it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return etree.fromstring(archive.read(name))


def cell(data: bytes, place: str, name: str = SHEET) -> Any:
    [found] = part(data, name).xpath(f"//s:c[@r='{place}']", namespaces=NS)
    return found


def changed(data: bytes, more: dict[str, bytes]) -> bytes:
    """A workbook with other parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in more:
                new.writestr(name, old.read(name))
        for name, content in more.items():
            new.writestr(name, content)
    return made.getvalue()


async def sample(world: World) -> bytes:
    await book(world, "sample.xlsx")
    return await got(world, "sample.xlsx")


async def test_a_workbook_is_made_by_its_first_write_and_another_reader_opens_it(world: World) -> None:
    made = await done(world, "spreadsheet_write_range", path="a/book.xlsx", sheet="Data", values=ROWS)
    assert (made["path"], made["version"], made["range"]) == ("a/book.xlsx", 1, "A1:D4")
    assert "not computed" in made["notes"][0]
    data = await got(world, "a/book.xlsx")
    assert cell(data, "D3").findtext("s:f", namespaces=NS) == "SUM(B2:B3)"
    assert cell(data, "B3").findtext("s:v", namespaces=NS) == "4.5"
    assert cell(data, "C2").findtext("s:v", namespaces=NS) == "46348"  # days since 1899-12-30
    assert cell(data, "A4").find("s:f", NS) is None
    names = part(data, "xl/workbook.xml").xpath("//s:sheet/@name", namespaces=NS)
    assert names == ["Data"]


async def test_what_was_written_is_read_again(world: World) -> None:
    await book(world)
    read = await done(world, "spreadsheet_read_range", path="a/book.xlsx")
    assert read["rows"] == [
        ["Name", "Amount", "When", "Total"],
        ["Ann", 3, "2026-11-22", None],
        ["Bob", 4.5, None, None],
        ["'=x", True, "2026-11-22T10:30:00", None],
    ]
    assert read["formulas"] == {"D2": "=B2*2", "D3": "=SUM(B2:B3)", "D4": "=Data!B2+$B$3"}
    assert await done(world, "spreadsheet_list_sheets", path="a/book.xlsx") | {"file_id": "", "size": 0} == {
        "file_id": "",
        "path": "a/book.xlsx",
        "version": 1,
        "size": 0,
        "left_out": [
            "3 formulas have no stored value (D2, D3, D4 in 'Data'): a spreadsheet program computes them"
        ],
        "table": None,
        "sheets": [{"name": "Data", "state": "visible", "used": "A1:D4", "comments": 0, "problem": None}],
    }
    summary = await done(world, "spreadsheet_get_sheet_summary", path="a/book.xlsx", sheet="data")
    assert (summary["used"], summary["formulas"]) == ("A1:D4", 3)
    assert summary["columns"][1] == {
        "column": "B",
        "first": "Amount",
        "kinds": {"text": 1, "number": 2, "boolean": 1},
        "min": 3,
        "max": 4.5,
    }
    one = await done(world, "spreadsheet_read_cell", path="a/book.xlsx", cell="D3")
    assert (one["value"], one["formula"]) == (None, "=SUM(B2:B3)")
    assert (await done(world, "spreadsheet_read_cell", path="a/book.xlsx", cell="ZZ99"))["value"] is None


async def test_a_long_range_comes_in_parts(world: World) -> None:
    await done(
        world, "spreadsheet_write_range", path="a.xlsx", values=[[number, number * 2] for number in range(10)]
    )
    rows, rest = [], "A1:B10"
    while rest:
        part_of_it = await done(world, "spreadsheet_read_range", path="a.xlsx", range=rest, max_cells=6)
        rows += part_of_it["rows"]
        rest = part_of_it["next_range"]
    assert rows == [[number, number * 2] for number in range(10)]


async def test_cells_are_written_by_name_and_rows_below_what_is_there(world: World) -> None:
    await book(world)
    await done(world, "spreadsheet_write_cell", path="a/book.xlsx", cell="B2", value=7)
    last = await done(world, "spreadsheet_write_range", path="a/book.xlsx", values=[["Cid", 9]])
    assert (last["range"], last["version"]) == ("A5:B5", 3)
    data = await got(world, "a/book.xlsx")
    assert cell(data, "B2").findtext("s:v", namespaces=NS) == "7"
    assert cell(data, "B5").findtext("s:v", namespaces=NS) == "9"


async def test_sheets_are_added_and_deleted(world: World) -> None:
    made = await done(world, "spreadsheet_add_sheet", path="new.xlsx", sheet="One")
    assert made["sheets"] == ["One"]
    assert (await done(world, "spreadsheet_add_sheet", path="new.xlsx", sheet="Zero", position=1))[
        "sheets"
    ] == [
        "Zero",
        "One",
    ]
    assert (await done(world, "spreadsheet_delete_sheet", path="new.xlsx", sheet="One"))["sheets"] == ["Zero"]
    last = await ended(world, "spreadsheet_delete_sheet", path="new.xlsx", sheet="Zero")
    assert (last.error.kind, "needs one" in last.error.message) == (ErrorKind.REJECTED, True)


async def test_rows_move_with_the_formulas_that_mean_them(world: World) -> None:
    await book(world)
    assert (await done(world, "spreadsheet_insert_rows", path="a/book.xlsx", row=3, count=2))["rows"] == 6
    read = await done(world, "spreadsheet_read_range", path="a/book.xlsx")
    assert read["formulas"] == {"D2": "=B2*2", "D5": "=SUM(B2:B5)", "D6": "=Data!B2+$B$5"}
    assert (await done(world, "spreadsheet_delete_rows", path="a/book.xlsx", row=2))["rows"] == 5
    read = await done(world, "spreadsheet_read_range", path="a/book.xlsx")
    assert read["formulas"] == {"D4": "=SUM(B2:B4)", "D5": "=Data!#REF!+$B$4"}
    assert read["rows"][3][0] == "Bob"


async def test_formats_are_in_the_file(world: World) -> None:
    await book(world)
    await done(
        world,
        "spreadsheet_set_format",
        path="a/book.xlsx",
        range="A1:D1",
        bold=True,
        fill_color="#FFEE00",
        number_format="0.00",
        align="center",
        width=20,
    )
    data = await got(world, "a/book.xlsx")
    style = int(cell(data, "A1").get("s"))
    styles = part(data, "xl/styles.xml")
    format_of = styles.xpath("//s:cellXfs/s:xf", namespaces=NS)[style]
    font = styles.xpath("//s:fonts/s:font", namespaces=NS)[int(format_of.get("fontId"))]
    fill = styles.xpath("//s:fills/s:fill", namespaces=NS)[int(format_of.get("fillId"))]
    assert font.find("s:b", NS) is not None
    assert fill.find(".//s:fgColor", NS).get("rgb") == "FFFFEE00"
    assert (format_of.get("numFmtId"), format_of.find("s:alignment", NS).get("horizontal")) == ("2", "center")
    assert part(data).xpath("//s:col/@width", namespaces=NS) == ["20"] * 4
    assert cell(data, "A2").get("s") != cell(data, "A1").get("s")


async def test_a_filter_hides_the_other_rows_and_is_taken_away(world: World) -> None:
    await book(world)
    made = await done(world, "spreadsheet_auto_filter", path="a/book.xlsx", column="A", values=["Bob"])
    assert (made["range"], made["hidden"]) == ("A1:D4", 2)
    data = await got(world, "a/book.xlsx")
    assert part(data).find("s:autoFilter", NS).get("ref") == "A1:D4"
    assert part(data).xpath("//s:row[@hidden='1']/@r", namespaces=NS) == ["2", "4"]
    await done(world, "spreadsheet_auto_filter", path="a/book.xlsx", remove=True)
    data = await got(world, "a/book.xlsx")
    assert part(data).find("s:autoFilter", NS) is None
    assert part(data).xpath("//s:row[@hidden='1']", namespaces=NS) == []
    for column in ("A", "D"):
        last = await done(world, "spreadsheet_auto_filter", path="a/book.xlsx", column=column, values=["-"])
        assert last["hidden"] == 3, "by the first and the last column alike"


async def test_a_table_of_text_is_read_and_becomes_a_workbook_elsewhere(world: World) -> None:
    await put(world, "t.csv", "Näme;Amount\nAnn;3\n007;=x\n".encode("windows-1252"))
    read = await done(world, "spreadsheet_read_range", path="t.csv")
    assert read["rows"] == [["Näme", "Amount"], ["Ann", 3], ["007", "'=x"]]
    refused = await ended(world, "spreadsheet_write_cell", path="t.csv", cell="A1", value=1)
    assert (refused.error.kind, "output_path" in refused.error.message) == (ErrorKind.REJECTED, True)
    made = await done(world, "spreadsheet_write_cell", path="t.csv", cell="C1", value=1, output_path="t.xlsx")
    assert (made["path"], made["version"]) == ("t.xlsx", 1)
    assert (await done(world, "spreadsheet_read_range", path="t.xlsx"))["rows"][2] == ["007", "'=x", None]
    assert (await got(world, "t.csv")).startswith(b"N\xe4me")


async def test_what_cannot_be_kept_is_refused_unless_it_may_be_lost(world: World) -> None:
    charted = changed(
        await sample(world), {"xl/charts/chart1.xml": b"<c/>", "xl/slicers/slicer1.xml": b"<s/>"}
    )
    await put(world, "charts.xlsx", charted)
    refused = await ended(world, "spreadsheet_write_cell", path="charts.xlsx", cell="A1", value=1)
    assert (refused.error.kind, "charts, slicers" in refused.error.message) == (ErrorKind.REJECTED, True)
    assert await got(world, "charts.xlsx") == charted
    await done(world, "spreadsheet_write_cell", path="charts.xlsx", cell="A1", value=1, drop_unsupported=True)


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "path"),
    [
        ("read_range", {"range": "Z100:Z200"}, ErrorKind.INVALID_ARGUMENTS, "/range"),
        ("read_range", {"range": "A0:B2"}, ErrorKind.INVALID_ARGUMENTS, "/range"),
        ("read_range", {"range": "XFE1"}, ErrorKind.INVALID_ARGUMENTS, "/range"),
        ("read_range", {"range": "A1;B2"}, ErrorKind.INVALID_ARGUMENTS, "/range"),
        ("read_range", {"sheet": "Nope"}, ErrorKind.NOT_FOUND, "/sheet"),
        ("read_cell", {"cell": "A1048577"}, ErrorKind.INVALID_ARGUMENTS, "/cell"),
        ("write_cell", {"cell": "A1", "value": 1, "version": 7}, ErrorKind.CONFLICT, "/version"),
        ("write_cell", {"cell": "A1", "value": 10**16}, ErrorKind.INVALID_ARGUMENTS, "/value"),
        ("write_cell", {"cell": "A1", "value": "a\x01"}, ErrorKind.INVALID_ARGUMENTS, "/value"),
        ("write_cell", {"cell": "A1", "value": "x" * 40_000}, ErrorKind.INVALID_ARGUMENTS, "/value"),
        ("write_range", {"values": [[1]], "range": "A1:B2"}, ErrorKind.INVALID_ARGUMENTS, "/values"),
        ("write_range", {"values": [[1, 2]], "range": "XFD1"}, ErrorKind.INVALID_ARGUMENTS, "/range"),
        ("write_range", {"values": [["x", "a\x01"]]}, ErrorKind.INVALID_ARGUMENTS, "/values/0/1"),
        ("write_cell", {"cell": "XFE1", "value": 1}, ErrorKind.INVALID_ARGUMENTS, "/cell"),
        ("write_range", {"values": [[]]}, ErrorKind.INVALID_ARGUMENTS, "/values"),
        ("write_cell", {"cell": "A1", "value": 1, "output_path": "x.csv"}, ErrorKind.INVALID_ARGUMENTS, None),
        (
            "write_cell",
            {"cell": "A1", "value": 1, "output_path": "../x.xlsx"},
            ErrorKind.INVALID_ARGUMENTS,
            "/output_path",
        ),
        (
            "write_cell",
            {"cell": "A1", "value": 1, "output_path": "book.xlsx"},
            ErrorKind.CONFLICT,
            "/output_path",
        ),
        ("add_sheet", {"sheet": "DATA"}, ErrorKind.CONFLICT, "/sheet"),
        ("add_sheet", {"sheet": "a/b"}, ErrorKind.INVALID_ARGUMENTS, "/sheet"),
        ("delete_rows", {"row": 9}, ErrorKind.INVALID_ARGUMENTS, "/row"),
        ("delete_rows", {"row": 0}, ErrorKind.INVALID_ARGUMENTS, "/row"),
        ("auto_filter", {"column": "ZZ", "values": ["x"]}, ErrorKind.INVALID_ARGUMENTS, "/column"),
        ("set_format", {"range": "A1", "fill_color": "red"}, ErrorKind.INVALID_ARGUMENTS, "/fill_color"),
    ],
)
async def test_each_refusal_has_its_kind_and_changes_nothing(
    world: World, tool: str, arguments: dict[str, Json], kind: ErrorKind, path: str | None
) -> None:
    await book(world, "book.xlsx")
    before = await got(world, "book.xlsx")
    error = (await ended(world, f"spreadsheet_{tool}", path="book.xlsx", **arguments)).error
    assert (error.kind, error.path) == (kind, path)
    assert await got(world, "book.xlsx") == before


async def test_a_file_that_is_not_there_is_made_by_writes_of_workbooks_only(world: World) -> None:
    for tool, arguments in (
        ("read_range", {"path": "no.xlsx"}),
        ("write_cell", {"path": "no.csv", "cell": "A1", "value": 1}),
        ("write_cell", {"file_id": "f_none", "cell": "A1", "value": 1}),
        ("insert_rows", {"path": "no.xlsx", "row": 1}),
    ):
        assert (await ended(world, f"spreadsheet_{tool}", **arguments)).error.kind == ErrorKind.NOT_FOUND


async def test_two_writes_at_once_are_both_there(world: World) -> None:
    await done(world, "spreadsheet_write_range", path="w.xlsx", values=[["a"]])
    await asyncio.gather(
        *(
            done(world, "spreadsheet_write_cell", path="w.xlsx", cell=f"B{number}", value=number)
            for number in range(1, 5)
        )
    )
    rows = (await done(world, "spreadsheet_read_range", path="w.xlsx"))["rows"]
    assert [row[1] for row in rows] == [1, 2, 3, 4]

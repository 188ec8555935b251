"""Workbooks of all kinds are read, and say what their values leave out."""

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.tool_runner.documents import done, ended, put
from foldline_testing.tool_runner.office_samples import odf_of
from foldline_testing.tool_runner.sheet_samples import ods, sheet_of, xls, xlsx
from foldline_testing.tool_runner.world import World

pytestmark = pytest.mark.long

FORMULAS = "2 formulas have no stored value (A2, A3 in 'Prices'): a spreadsheet program computes them"
OTHERS = "1 further sheet: Old (hidden); name one by `sheet`"


@pytest.mark.parametrize("strict", [False, True])
async def test_strict_open_xml_formulas_without_values_and_comments_are_there(
    world: World, strict: bool
) -> None:
    await put(world, "a.xlsx", xlsx(strict=strict))
    read = await done(world, "file_read_text", path="a.xlsx")
    assert read["text"] == (
        "# Prices\n\nTea\t1.5\n=B1*2\n=B1*3\n[Comment on B1: Too much?]\n\n# Old (hidden)\n\nx"
    )
    assert read["left_out"] == [FORMULAS]
    cells = await done(world, "spreadsheet_read_range", path="a.xlsx")
    assert cells["left_out"] == [OTHERS, FORMULAS]
    assert (cells["rows"][1][0], cells["formulas"], cells["comments"]) == (
        None,
        {"A2": "=B1*2", "A3": "=B1*3"},
        {"B1": "Too much?"},
    )
    cell = await done(world, "spreadsheet_read_cell", path="a.xlsx", cell="B1")
    assert (cell["value"], cell["comment"]) == (1.5, "Too much?")
    listed = await done(world, "spreadsheet_list_sheets", path="a.xlsx")
    assert [(one["name"], one["state"], one["comments"]) for one in listed["sheets"]] == [
        ("Prices", "visible", 1),
        ("Old", "hidden", 0),
    ]
    assert (await done(world, "spreadsheet_get_sheet_summary", path="a.xlsx", sheet="Old"))["left_out"] == [
        "the sheet 'Old' itself is hidden in the workbook"
    ]
    made = await done(
        world, "spreadsheet_write_cell", path="a.xlsx", cell="C1", value=2, output_path="b.xlsx"
    )
    assert made["path"] == "b.xlsx"


async def test_a_table_in_a_cell_is_not_a_sheet_and_its_rows_are_not_the_sheets(world: World) -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row, table = "<table:table-row>{}</table:table-row>", "<table:table table:name='{}'>{}</table:table>"
    inner = table.format("Inner", row.format(cell.format("in")))
    first = row.format(f"<table:table-cell><text:p>a</text:p>{inner}</table:table-cell>")
    one = table.format("One", first + row.format(cell.format("b")))
    two = table.format("Two", row.format(cell.format("c")))
    await put(world, "a.ods", odf_of("spreadsheet", one + two))
    listed = await done(world, "spreadsheet_list_sheets", path="a.ods")
    assert [(one["name"], one["used"]) for one in listed["sheets"]] == [("One", "A1:A2"), ("Two", "A1")]
    cells = await done(world, "spreadsheet_read_range", path="a.ods", range="A1:A2", sheet="Two")
    assert cells["rows"][0] == ["c"]


async def test_a_million_rows_with_nothing_but_a_format_are_passed_over(world: World) -> None:
    rows = [b'<row r="1"><c r="A1"><v>1</v></c></row>']
    rows += [
        b'<row r="%d" s="1" customFormat="1"><c r="A%d" s="1"/></row>' % (n, n) for n in range(2, 500_000)
    ]
    rows += [b'<row r="%d" s="1" customFormat="1"/>' % n for n in range(500_000, 1_048_576)]
    rows.append(b'<row r="1048576"><c r="B1048576" s="1"/><c r="C1048576"><v>2</v></c></row>')
    await put(world, "a.xlsx", sheet_of(xlsx(), b"".join(rows)))
    listed = await done(world, "spreadsheet_list_sheets", path="a.xlsx")
    assert listed["sheets"][0]["used"] == "A1:C1048576"
    cell = await done(world, "spreadsheet_read_cell", path="a.xlsx", cell="C1048576")
    assert cell["value"] == 2


async def test_an_old_workbook_is_read(world: World) -> None:
    await put(world, "a.xls", xls())
    cells = await done(world, "spreadsheet_read_range", path="a.xls")
    assert cells["rows"] == [["Tea", None, 1.5], ["2026-11-27", None, None], [True, None, None]]
    assert cells["left_out"][0] == OTHERS
    assert "save it as .xlsx" in cells["left_out"][1]
    assert (await done(world, "file_read_text", path="a.xls"))["text"].startswith(
        "# Prices\n\nTea\t\t1.5\n2026-11-27"
    )
    refused = await ended(world, "spreadsheet_write_cell", path="a.xls", cell="A1", value=1)
    assert (refused.error.kind, "save it as .xlsx" in refused.error.message) == (ErrorKind.REJECTED, True)


async def test_a_workbook_of_opendocument_is_read(world: World) -> None:
    await put(world, "a.ods", ods())
    cells = await done(world, "spreadsheet_read_range", path="a.ods", range="A1:C2")
    assert cells["rows"] == [["Tea", None, 1.5], ["2026-11-27", "2026-11-27", 3]]
    assert (cells["formulas"], cells["comments"]) == ({"C2": "=[.C1]*2"}, {"A1": "Which?"})
    listed = await done(world, "spreadsheet_list_sheets", path="a.ods")
    assert [(one["name"], one["state"], one["used"]) for one in listed["sheets"]] == [
        ("Prices", "visible", "A1:C1048576"),
        ("Old", "hidden", None),
    ]
    text = (await done(world, "file_read_text", path="a.ods"))["text"]
    cells_said = "Tea\t\t1.5\n2026-11-27\t2026-11-27\t3\nTrue"
    assert text == f"# Prices\n\n{cells_said}\n[Comment on A1: Which?]\n\n# Old (hidden)"

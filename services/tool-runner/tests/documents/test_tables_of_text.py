"""CSV: the dialect is judged over all rows, told in the result, and can be set; texts keep their form."""

from typing import Any

import pytest

from foldline_testing.tool_runner.documents import done, put
from foldline_testing.tool_runner.world import World
from tool_runner.documents.sheets.dialects import table_of
from tool_runner.documents.sheets.options import TableOptions


def rows_of(text: str, **options: str) -> list[list[Any]]:
    return list(table_of(text, TableOptions(**options)).rows())


@pytest.mark.parametrize(
    ("text", "delimiter", "last"),
    [
        ("id;flag;vals;x\n1;a;['1', '2'];z\n2;b;['3', '4'];y\n", ";", [2, "b", "['3', '4']", "y"]),
        ("sep=;\na;b\n1;2\n", ";", [1, 2]),
        ("sep=|\na|b,c\n1|2,3\n", "|", [1, "2,3"]),
        ("text\nHello, world\nA, b, c\nplain, too\n", None, ["plain, too"]),
        ("name,x\nO'Neil,1\nD'Arcy,2\n", ",", ["D'Arcy", 2]),
        (
            "a,b\n" + "x,1\n" * 30_000 + '"he said ""yes, sir"" to me",2\n',
            ",",
            ['he said "yes, sir" to me', 2],
        ),
        ("v;p\n" + "1,5;2,5\n" * 50, ";", ["1,5", "2,5"]),
        ('v\tw\n1\t"x\ty"\n', "\t", [1, "x\ty"]),
        ("a,b\n'x,y',2\n'z',3\n", ",", ["z", 3]),
        ('a,b\n"say \\"hi, you\\" now",2\n', ",", ['say "hi, you" now', 2]),
        ('a,b\n5" pipe,2\n"quoted, one",3\n', ",", ["quoted, one", 3]),
        ('a,b\n"never ended,2\nx,3\ny,4\nz,5\n', ",", ["z", 5]),
        ('a, b, c\n1, "x, y", 3\n', ",", [1, "x, y", 3]),
        ("a\n1\n2\n", None, [2]),
        ("a,b\u2028c,d\n1,2,3\n", ",", [1, 2, 3]),
        ("Report\n\nid;n;m\n" + "1;2;3\n" * 20, ";", [1, 2, 3]),
        ('a,b\r\n"x\r\ny",2\r\n', ",", ["x\r\ny", 2]),
    ],
)
def test_the_dialect_is_the_one_that_all_rows_fit(text: str, delimiter: str | None, last: list[Any]) -> None:
    assert table_of(text, TableOptions()).dialect.delimiter == delimiter
    assert rows_of(text)[-1] == last


def test_a_column_of_numbers_stays_text_where_one_would_lose_its_form() -> None:
    assert rows_of("a,b,c,d\n1.10,007,2,-0.50\n2.5,8,3,1\n") == [
        ["a", "b", "c", "d"],
        ["1.10", "007", 2, "-0.50"],
        ["2.5", "8", 3, "1"],
    ]
    assert rows_of("n\n12345678901234567890\n1\n")[1:] == [["12345678901234567890"], ["1"]]


def test_arguments_decide() -> None:
    assert rows_of("a:b\n1:2\n", delimiter=":") == [["a", "b"], [1, 2]]
    assert rows_of('a;b\n"x";2\n', quote="none") == [["a", "b"], ['"x"', 2]]
    assert rows_of("a,b\n", delimiter=";") == [["a,b"]]


async def test_results_tell_how_the_table_was_read_and_which_rows_are_unlike(world: World) -> None:
    await put(world, "t.csv", b"sep=;\na;b\n1.10;2\n3;4;5\n")
    read = await done(world, "spreadsheet_read_range", path="t.csv")
    assert read["table"] == {"delimiter": ";", "quote": '"', "from": "sep=", "columns": 2}
    assert read["left_out"] == [
        "1 row has not 2 columns like the others, the first is row 3: "
        "`delimiter` and `quote` read the table otherwise"
    ]
    otherwise = await done(world, "spreadsheet_read_range", path="t.csv", delimiter="|")
    assert (otherwise["rows"][0], otherwise["table"]["from"]) == (["a;b"], "arguments")
    summary = await done(world, "spreadsheet_get_sheet_summary", path="t.csv")
    assert summary["columns"][0] == {
        "column": "A",
        "first": "a",
        "kinds": {"text": 1, "number": 2},
        "min": 1.1,
        "max": 3,
    }
    await done(world, "spreadsheet_write_cell", path="t.csv", cell="D1", value="x", output_path="t.xlsx")
    made = await done(world, "spreadsheet_read_range", path="t.xlsx", range="A2")
    assert made["rows"] == [[1.1]]

"""Lists fit the terminal, whatever is in them, and are plain lines for a pipe."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from foldline.cli.listing import print_rows

ID = "s_01ka8q4j6h2v3w5x7y9z0abcde"
COLUMNS = ("session", "status", "changed", "#tokens", "title")
ROWS = [
    (
        ID,
        "waiting_for_input",
        "11-23 16:30",
        "1.2M",
        "A trip to Norway\nwith a title of more than one line " * 2,
    ),
    ("s_2", "idle", "11-23 16:31", "7", "[bold]no markup[/] 日本語のタイトルはとても長い" * 3),
    ("s_3", "idle", "", "", "\x1b[2J\x1b]0;owned\x07x" + "y" * 200),
]


def printed(width: int, *, terminal: bool = True) -> str:
    to = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None, emoji=False)
    print_rows(to, COLUMNS, ROWS)
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


@pytest.mark.parametrize("width", [200, 80, 40, 30])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_left_out(width: int) -> None:
    text = printed(width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert ID in text  # whole, to be copied
    squeezed = "".join(text.split())
    for row in ROWS[:2]:
        for word in " ".join(row).split():
            assert word[:8] in squeezed, word
    assert squeezed.count("y") >= 200


@pytest.mark.parametrize("width", [200, 40])
def test_what_anybody_wrote_gives_the_terminal_no_orders(width: int) -> None:
    for text in (printed(width), printed(width, terminal=False)):
        assert "\x1b" not in text.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "")
        assert "\x07" not in text
        assert "[bold]no markup[/]" in text.replace("\n", "")


def test_a_wide_terminal_has_a_table_with_headings_and_a_narrow_one_a_thing_above_what_it_has() -> None:
    wide = printed(200).splitlines()
    assert wide[0].split() == ["session", "status", "changed", "tokens", "title"]
    narrow = printed(40).splitlines()
    assert narrow[0].rstrip() == ID
    assert narrow[1].rstrip() == "  status waiting_for_input"


def test_a_pipe_gets_one_line_a_thing_and_no_headings() -> None:
    lines = printed(20, terminal=False).splitlines()
    assert len(lines) == len(ROWS)
    assert lines[0].startswith(f"{ID}  waiting_for_input  11-23 16:30  1.2M  A trip to Norway with")
    assert lines[2].startswith("s_3  idle  [2J")  # empty cells take no room

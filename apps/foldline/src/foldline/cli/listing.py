"""Lists: a table as wide as the terminal, below it where that is too narrow; plain lines for a pipe."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from foldline.cli.output import console, one_line, print_json

T = TypeVar("T")

_GAP = 2
_LAST = 20
"""Cells that the last column, which may wrap, has at least."""


def listed(
    found: Sequence[T],
    columns: Sequence[str],
    row: Callable[[T], Sequence[str]],
    *,
    none: str,
    as_json: bool,
) -> None:
    """Print what was found: for programs as it is, else a row each; `none` where there is nothing.

    The first column names a thing: it is never cut, since it is to be copied. Columns whose heading begins
    with `#` are figures.
    """
    if as_json:
        print_json(found)
    elif not found:
        console.print(none, markup=False, highlight=False, soft_wrap=not console.is_terminal)
    else:
        print_rows(console, columns, [row(one) for one in found])


def print_rows(to: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of as many cells as there are columns."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    if not to.is_terminal:
        for row in cells:
            line = "  ".join(cell for cell in row if cell)
            to.print(line, markup=False, highlight=False, soft_wrap=True)
        return
    headings = [heading.removeprefix("#") for heading in columns]
    widths = [
        max(cell_len(heading), *(cell_len(row[at]) for row in cells)) for at, heading in enumerate(headings)
    ]
    first = sum(widths[:-1]) + _GAP * (len(widths) - 1)
    if first + min(widths[-1], _LAST) <= to.width:
        to.print(_table(columns, headings, cells))
    else:
        _print_below(to, headings, cells)


def _table(columns: Sequence[str], headings: Sequence[str], cells: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for at, heading in enumerate(headings):
        last = at == len(headings) - 1
        justify = "right" if columns[at].startswith("#") else "left"
        table.add_column(heading, no_wrap=not last, overflow="fold", justify=justify)  # type: ignore[arg-type]
    for row in cells:
        table.add_row(*(Text(cell, "bold" if at == 0 else "") for at, cell in enumerate(row)))
    return table


def _print_below(to: Console, headings: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """Each thing under its name: what it has stands below, indented."""
    for row in cells:
        to.print(Text(row[0], "bold", overflow="fold"))
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            if cell:
                line = Text.assemble((f"{heading} ", "dim"), cell, overflow="fold")
                to.print(Padding(line, (0, 0, 0, _GAP)))

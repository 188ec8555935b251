"""A workbook as it is read, whatever its format."""

from collections.abc import Callable, Iterator

import msgspec

from agent_contracts.json_value import Json
from tool_runner.documents.left_out import counted, names
from tool_runner.documents.sheets.dialects import Dialect
from tool_runner.documents.sheets.ranges import letters

_NAMED = 5


class ReadCell(msgspec.Struct, frozen=True):
    """A cell that holds something: its value (of a formula, the one that was stored with it)."""

    column: int
    value: Json
    formula: str | None = None


Row = tuple[int, list[ReadCell]]
"""Its number, and its cells by column."""


class ReadSheet(msgspec.Struct):
    """A sheet whose rows are read once; after that, all else is known."""

    name: str
    state: str
    read: Callable[["ReadSheet"], Iterator[Row]]
    merged: list[str] = []
    filtered: str | None = None
    problem: str | None = None
    """Why it breaks off."""
    comments: dict[str, str] = {}
    """By cell."""
    uncomputed: int = 0
    """Formulas without a stored value."""
    first_uncomputed: list[str] = []

    def rows(self) -> Iterator[Row]:
        """Each row that holds something."""
        for number, cells in self.read(self):
            for cell in cells:
                if cell.formula is not None and cell.value is None:
                    self.uncomputed += 1
                    if len(self.first_uncomputed) < _NAMED:
                        self.first_uncomputed.append(f"{letters(cell.column)}{number}")
            yield number, cells

    def left_out(self) -> list[str]:
        """What its values leave out, once its rows are read."""
        if not self.uncomputed:
            return []
        more = "" if self.uncomputed <= _NAMED else " and others"
        have = "has" if self.uncomputed == 1 else "have"
        formulas = counted(self.uncomputed, "formula")
        places = f"{', '.join(self.first_uncomputed)}{more} in {self.name!r}"
        return [f"{formulas} {have} no stored value ({places}): a spreadsheet program computes them"]


class ReadBook(msgspec.Struct):
    """A workbook. `texts` stand in text boxes; `left_out` says what is in it beside cells. A table of text
    has a `dialect`."""

    sheets: list[ReadSheet]
    left_out: list[str] = []
    texts: list[str] = []
    dialect: Dialect | None = None

    def others(self, sheet: ReadSheet) -> list[str]:
        """What there is to say of the other sheets to someone who didn't name one."""
        found = [
            one.name if one.state == "visible" else f"{one.name} ({one.state})"
            for one in self.sheets
            if one is not sheet
        ]
        return (
            [f"{counted(len(found), 'further sheet')}: {names(found)}; name one by `sheet`"] if found else []
        )


def said_of(dialect: Dialect | None) -> Json:
    """How the columns of a table of text were told apart, for those who may want it otherwise."""
    if dialect is None:
        return None
    about: dict[str, Json] = {
        "delimiter": dialect.delimiter,
        "quote": dialect.quote,
        "from": dialect.source,
        "columns": dialect.width,
    }
    return about


def unlike_rows(dialect: Dialect | None) -> list[str]:
    """A sentence for rows that have more or fewer columns than the others."""
    if dialect is None or not dialect.unlike:
        return []
    count = counted(dialect.unlike, "row")
    have = "has" if dialect.unlike == 1 else "have"
    columns = counted(dialect.width, "column")
    return [
        f"{count} {have} not {columns} like the others, the first is row {dialect.first_unlike}: "
        "`delimiter` and `quote` read the table otherwise"
    ]

"""Rows that move: where what names them is afterwards. Pure."""

import re

import msgspec
from openpyxl.formula.tokenizer import Token, Tokenizer

from tool_runner.documents.sheets.ranges import MOST_ROWS

_REFERENCE = re.compile(
    r"(\$?[A-Za-z]{1,3}\$?)([0-9]{1,7})(?::(\$?[A-Za-z]{1,3}\$?)([0-9]{1,7}))?|(\$?)([0-9]{1,7}):(\$?)([0-9]{1,7})"
)
_LOST = "#REF!"


class RowShift(msgspec.Struct, frozen=True):
    """`count` rows of `sheet` that were inserted before `row` (negative: deleted from it on)."""

    sheet: str
    row: int
    count: int

    def line(self, row: int) -> int | None:
        """Where a row is now; None if it was deleted, or went past the last one."""
        if row < self.row:
            return row
        if self.count < 0 and row < self.row - self.count:
            return None
        moved = row + self.count
        return moved if moved <= MOST_ROWS else None

    def lines(self, first: int, last: int) -> tuple[int, int] | None:
        """Where a range of rows is now: one that is inserted into grows, one that is deleted from shrinks."""
        if first > last:
            first, last = last, first
        if self.count < 0:
            after = self.row - self.count  # the first row behind those that were deleted
            first = first if first < self.row else max(self.row, first + self.count)
            last = last if last < self.row else self.row - 1 if last < after else last + self.count
            return None if first > last else (first, last)
        moved = self.line(first)
        return None if moved is None else (moved, self.line(last) or MOST_ROWS)

    def formula(self, text: str, sheet: str) -> str:
        """A formula that stands in `sheet`."""
        tokens = Tokenizer(text)
        changed = False
        for token in tokens.items:
            if token.type == Token.OPERAND and token.subtype == Token.RANGE:
                moved = self._operand(token.value, sheet)
                changed = changed or moved != token.value
                token.value = moved
        return str(tokens.render()) if changed else text  # type: ignore[no-untyped-call]

    def ranges(self, text: str) -> str:
        """Ranges of this sheet, with spaces between them, without those that are gone."""
        moved = [self.reference(one) for one in text.split()]
        return " ".join(one for one in moved if one is not None)

    def reference(self, text: str) -> str | None:
        """A cell or a range of this sheet; None for one that is gone, itself for what is none."""
        found = _REFERENCE.fullmatch(text)
        if found is None:
            return text
        first_column, first, last_column, last, fixed, first_line, last_fixed, last_line = found.groups()
        if first_line is not None:
            lines = self.lines(int(first_line), int(last_line))
            return None if lines is None else f"{fixed}{lines[0]}:{last_fixed}{lines[1]}"
        if last is None:
            line = self.line(int(first))
            return None if line is None else f"{first_column}{line}"
        lines = self.lines(int(first), int(last))
        return None if lines is None else f"{first_column}{lines[0]}:{last_column}{lines[1]}"

    def _operand(self, value: str, sheet: str) -> str:
        named, mark, reference = value.rpartition("!")
        of = named.strip("'").replace("''", "'") if mark else sheet
        if of.casefold() != self.sheet.casefold():
            return value
        moved = self.reference(reference)
        return f"{named}{mark}{_LOST if moved is None else moved}"

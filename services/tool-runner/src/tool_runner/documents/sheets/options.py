"""What the jobs on sheets are asked with. Sheets are named, None is the first; rows count from 1."""

from typing import Literal

import msgspec

Scalar = str | int | float | bool | None


class TableOptions(msgspec.Struct, frozen=True):
    """How a table of text is to be read; what is None is judged by its rows. `quote` may be `none`."""

    delimiter: str | None = None
    quote: str | None = None


class OfWorkbook(msgspec.Struct, frozen=True):
    """Nothing but the workbook."""

    table: TableOptions = TableOptions()


class SheetRef(msgspec.Struct, frozen=True):
    """One sheet."""

    sheet: str | None = None
    table: TableOptions = TableOptions()


class OfCell(msgspec.Struct, frozen=True):
    """One cell."""

    sheet: str | None
    cell: str
    table: TableOptions = TableOptions()


class ReadCells(msgspec.Struct, frozen=True):
    """Cells of a range, all that are used without one; rows after `most` cells are left out."""

    sheet: str | None = None
    range: str | None = None
    most: int = 1_000_000
    table: TableOptions = TableOptions()


class SheetChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a sheet. With `drop`, what can't be kept of the workbook is lost, instead of a refusal.
    `new_file`: what is made is not a version of what was read."""

    sheet: str | None = None
    drop: bool = False
    new_file: bool = False


class WriteCells(SheetChange, frozen=True, kw_only=True):
    """Rows of values from the first cell of the range on; without one, below what is used."""

    range: str | None = None
    values: tuple[tuple[Scalar, ...], ...]


class SheetAddition(SheetChange, frozen=True, kw_only=True):
    """The new sheet's name is `sheet`; it goes before the one at `position`, at the end without one."""

    position: int | None = None


class ChangeRows(SheetChange, frozen=True, kw_only=True):
    """Rows that are inserted before `row`, or deleted from it on."""

    row: int
    count: int = 1


class FormatChange(SheetChange, frozen=True, kw_only=True):
    """What is given changes; colours are RRGGBB, widths characters."""

    range: str
    number_format: str | None = None
    bold: bool | None = None
    italic: bool | None = None
    font_size: float | None = None
    font_color: str | None = None
    fill_color: str | None = None
    align: Literal["left", "center", "right"] | None = None
    wrap: bool | None = None
    width: float | None = None


class SetFilter(SheetChange, frozen=True, kw_only=True):
    """A filter over the range, over what is used without one; None takes it away. With a `column`, rows
    that don't have one of `values` there are hidden."""

    range: str | None = None
    remove: bool = False
    column: str | None = None
    values: tuple[str, ...] = ()

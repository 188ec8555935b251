"""The cells of OpenDocument workbooks (.ods, .fods), read as a stream."""

import io
from collections.abc import Iterator
from typing import Any

from lxml import etree

from agent_contracts.errors import Rejected
from tool_runner.documents.left_out import counted
from tool_runner.documents.sheets.book import ReadBook, ReadCell, ReadSheet, Row
from tool_runner.documents.sheets.ranges import MOST_COLUMNS, MOST_ROWS, letters
from tool_runner.documents.sheets.values import json_of

_URN = "urn:oasis:names:tc:opendocument:xmlns"
_TABLE, _OFFICE = f"{{{_URN}:table:1.0}}", f"{{{_URN}:office:1.0}}"
_TEXT, _STYLE, _DRAW = f"{{{_URN}:text:1.0}}", f"{{{_URN}:style:1.0}}", f"{{{_URN}:drawing:1.0}}"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_MOST_REPEATED = 100_000
"""Cells that one cell's or row's repetition is read as."""


def read_ods(content: bytes) -> ReadBook:
    """Its sheets. `Rejected` for what is broken."""
    sheets: list[ReadSheet] = []
    hidden: set[str] = set()
    seen = {"picture": 0, "chart or embedded file": 0}
    wanted = (f"{_TABLE}table", f"{_STYLE}style", f"{_DRAW}image", f"{_DRAW}object")
    try:
        for event, element in _events(content, wanted):
            if event == "start" and element.tag == wanted[0] and not _is_inner(element):
                name = element.get(f"{_TABLE}name") or f"Sheet{len(sheets) + 1}"
                state = "hidden" if element.get(f"{_TABLE}style-name") in hidden else "visible"
                sheets.append(ReadSheet(name, state, _OdsCells(content, len(sheets)).rows))
            elif event == "end":
                if element.tag == wanted[1] and any(
                    one.get(f"{_TABLE}display") == "false" for one in element
                ):
                    hidden.add(element.get(f"{_STYLE}name", ""))
                seen["picture"] += element.tag == wanted[2]
                seen["chart or embedded file"] += element.tag == wanted[3]
                if element.tag != wanted[0]:
                    element.clear()
    except etree.XMLSyntaxError as error:
        if not sheets:
            raise Rejected(f"the workbook is broken: {error}"[:400]) from error
    if not sheets:
        raise Rejected("the workbook has no sheet with cells")
    found = [counted(count, noun, f"{noun}s") for noun, count in seen.items() if count]
    return ReadBook(sheets, [f"{', '.join(found)}: save it as a PDF to see them"] if found else [])


class _OdsCells:
    """The cells of the sheet at a place."""

    def __init__(self, content: bytes, place: int) -> None:
        self._content = content
        self._place = place

    def rows(self, sheet: ReadSheet) -> Iterator[Row]:
        """Its rows, up to where its XML is broken."""
        place, number = -1, 0
        wanted = (f"{_TABLE}table", f"{_TABLE}table-row")
        try:
            for event, element in _events(self._content, wanted):
                if element.tag == wanted[0] and not _is_inner(element):
                    place += event == "start"
                    if event == "end" and place == self._place:
                        return
                elif element.tag == wanted[1] and event == "end" and not _is_inner(element):
                    if place == self._place:
                        repeated = _count(element, f"{_TABLE}number-rows-repeated")
                        cells = self._row(element, number + 1, sheet)
                        for again in range(min(repeated, _MOST_REPEATED) if cells else 0):
                            if number + again < MOST_ROWS:
                                yield number + again + 1, cells
                        number += repeated
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
        except etree.XMLSyntaxError as error:
            sheet.problem = f"the sheet {sheet.name!r} is broken: {error}"[:400]

    def _row(self, row: Any, number: int, sheet: ReadSheet) -> list[ReadCell]:
        cells: list[ReadCell] = []
        column = 0
        for cell in row.iterchildren(*_CELLS):
            repeated = _count(cell, f"{_TABLE}number-columns-repeated")
            value, formula = _value(cell), cell.get(f"{_TABLE}formula")
            comment = cell.find(f"{_OFFICE}annotation")
            if comment is not None:
                said = " ".join(" ".join(_paragraph(one) for one in comment.iter(f"{_TEXT}p")).split())
                sheet.comments[f"{letters(column + 1)}{number}"] = said
            spanned = (
                cell.get(f"{_TABLE}number-columns-spanned", "1"),
                cell.get(f"{_TABLE}number-rows-spanned", "1"),
            )
            if spanned != ("1", "1") and all(one.isdigit() for one in spanned):
                right, bottom = column + int(spanned[0]), number + int(spanned[1]) - 1
                sheet.merged.append(f"{letters(column + 1)}{number}:{letters(right)}{bottom}")
            if value is not None or formula is not None:
                said_formula = f"={formula.partition(':=')[2] or formula.lstrip('=')}" if formula else None
                last = min(column + min(repeated, _MOST_REPEATED), MOST_COLUMNS)
                cells += [ReadCell(one + 1, json_of(value), said_formula) for one in range(column, last)]
            column += repeated
        return cells


def _events(content: bytes, wanted: tuple[str, ...]) -> Any:
    source = io.BytesIO(content)
    return etree.iterparse(
        source, events=("start", "end"), tag=wanted, resolve_entities=False, no_network=True
    )


def _value(cell: Any) -> object:
    kind = cell.get(f"{_OFFICE}value-type")
    if kind in ("float", "currency", "percentage"):
        try:
            return float(cell.get(f"{_OFFICE}value", ""))
        except ValueError:
            return None
    if kind == "boolean":
        return cell.get(f"{_OFFICE}boolean-value") == "true"
    if kind in ("date", "time"):
        said = cell.get(f"{_OFFICE}{kind}-value") or ""
        return said.removesuffix("T00:00:00") or None
    text = "\n".join(_paragraph(one) for one in cell.iterchildren(f"{_TEXT}p"))
    return text or None


def _paragraph(element: Any) -> str:
    said = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}s":
            said.append(" " * min(_count(child, f"{_TEXT}c"), 100))
        elif child.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            said.append(" ")
        else:
            said.append(_paragraph(child))
        said.append(child.tail or "")
    return "".join(said)


def _count(element: Any, name: str) -> int:
    said = element.get(name, "1")
    return max(1, int(said)) if said.isdigit() and len(said) < 10 else 1


def _is_inner(element: Any) -> bool:
    """Whether it belongs to a table in a cell of another."""
    depth: int = sum(one.tag == f"{_TABLE}table" for one in element.iterancestors())
    return depth > (0 if element.tag == f"{_TABLE}table" else 1)

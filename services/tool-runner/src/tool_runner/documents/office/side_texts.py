"""What a .docx holds and mammoth doesn't read: text boxes, formulas, headers, footers, diagrams, charts."""

import re
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec

from agent_contracts.errors import Rejected
from tool_runner.documents.left_out import counted
from tool_runner.documents.office.xml import name_of, part_of_zip

_READ = frozenset(
    """
    document body footnotes endnotes footnote endnote comments comment
    p r t tbl tr tc customXml ins moveTo object smartTag drawing pict group rect roundrect shape textbox
    txbxContent hyperlink sdtContent Fallback
    """.split()  # noqa: SIM905
)
"""Elements whose children mammoth reads."""
_STORIES = re.compile(r"word/(?:document\d*|footnotes|endnotes|comments)\.xml")
_HEADERS = re.compile(r"word/(header|footer)\d*\.xml")
_DIAGRAMS = re.compile(r"word/diagrams/data\d*\.xml")
_COUNTED = (
    ("chart", re.compile(r"word/charts/chart\d*\.xml")),
    ("embedded file", re.compile(r"word/(?:embeddings/.+|afchunk.*)")),
)
_MOST_TEXTS = 1_000
_LONGEST_SHOWN = 200
_AS_PDF = "save it as a PDF to see its pages as pictures"


class SideTexts(msgspec.Struct):
    """What stands beside the text that mammoth gives: `texts` are lines to add to it."""

    texts: list[str] = []
    left_out: list[str] = []


def beside_the_text(archive: zipfile.ZipFile, pictures: int) -> SideTexts:
    """All that is there. `pictures` is how many stand in the text."""
    found = _Walk()
    headers: dict[str, None] = {}
    for name in archive.namelist():
        if _STORIES.fullmatch(name):
            found.take(_tree(archive, name))
        elif header := _HEADERS.fullmatch(name):
            text = " ".join(_text_of(_tree(archive, name)).split())
            if text:
                headers[f"[Page {header.group(1)}: {text}]"] = None
        elif _DIAGRAMS.fullmatch(name):
            found.add("Diagram", _tree(archive, name))
    said = SideTexts([*found.texts[:_MOST_TEXTS], *headers])
    counts = {noun: sum(1 for name in archive.namelist() if kind.fullmatch(name)) for noun, kind in _COUNTED}
    seen = [counted(count, noun) for noun, count in {"picture": pictures, **counts}.items() if count]
    if seen:
        said.left_out.append(f"{', '.join(seen)}: {_AS_PDF}")
    if found.deleted:
        said.left_out.append(f"{counted(found.deleted, 'passage')} that tracked changes delete")
    if len(found.texts) > _MOST_TEXTS:
        said.left_out.append(f"{len(found.texts) - _MOST_TEXTS:,} further text boxes and formulas")
    if found.hidden:
        hidden = " ".join(" ".join(found.hidden).split())
        said.left_out.append(f"the mark on text that the document hides: {hidden[:_LONGEST_SHOWN]!r}")
    return said


class _Walk:
    """Goes where mammoth goes, and notes what it passes by."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.deleted = 0
        self.hidden: list[str] = []

    def take(self, root: Any) -> None:
        """All of a story."""
        waiting = [root] if root is not None else []
        while waiting:
            element = waiting.pop()
            waiting += reversed(list(self._children(element)))

    def add(self, kind: str, element: Any) -> None:
        """A text that isn't in what mammoth gives."""
        text = " ".join(_text_of(element).split())
        if text:
            self.texts.append(f"[{kind}: {text}]")

    def _children(self, element: Any) -> Iterator[Any]:
        if name_of(element) == "r" and _hides(element):
            self.hidden.append(_text_of(element))
        for child in element:
            name = name_of(child)
            if name in _READ:
                yield child
            elif name == "sdt":
                yield from (one for one in child if name_of(one) == "sdtContent")
            elif name == "AlternateContent":
                fallbacks = [one for one in child if name_of(one) == "Fallback"]
                yield from fallbacks
                if not fallbacks:
                    self._passed(child)
            elif name in ("del", "moveFrom"):
                self.deleted += bool("".join(child.itertext()).strip())
            else:
                self._passed(child)

    def _passed(self, element: Any) -> None:
        boxes = [one for one in element.iter() if name_of(one) == "txbxContent"]
        for box in boxes:
            self.add("Text box", box)
        if not boxes:
            self.add("Formula" if name_of(element).startswith("oMath") else "Text", element)


def _tree(archive: zipfile.ZipFile, name: str) -> Any:
    """None for a part that is broken: mammoth says so where it matters."""
    try:
        return part_of_zip(archive, name, "document")
    except Rejected:
        return None


def _text_of(element: Any) -> str:
    """The text, a line a paragraph."""
    if element is None:
        return ""
    said: list[str] = []
    for one in element.iter():
        if name_of(one) == "t":
            said.append(one.text or "")
        elif name_of(one) in ("p", "tab", "br"):
            said.append("\n")
    return "".join(said)


def _hides(run: Any) -> bool:
    for properties in run:
        if name_of(properties) == "rPr":
            for one in properties:
                if name_of(one) in ("vanish", "webHidden"):
                    values = [value for key, value in one.items() if key.endswith("val")]
                    return not values or values[0] not in ("0", "false", "off")
    return False

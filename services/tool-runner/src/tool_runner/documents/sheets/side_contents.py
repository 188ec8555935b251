"""What a workbook holds beside its cells: comments, text boxes, pictures, charts."""

import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from tool_runner.documents.left_out import counted, names

_COUNTED = (
    ("picture", re.compile(r"xl/media/.+")),
    ("chart", re.compile(r"xl/charts/chart\d*\.xml")),
    ("pivot table", re.compile(r"xl/pivotTables/.+\.xml")),
    ("embedded file", re.compile(r"xl/embeddings/.+")),
)
_DRAWING = re.compile(r"xl/(?:drawings/drawing|diagrams/data)\d*\.xml")
_MOST_TEXTS = 1_000
_LEGACY = "[Threaded comment]"
"""What a comment begins with that only stands for one of newer programs."""


def comments_of(archive: zipfile.ZipFile, part: str) -> dict[str, str]:
    """What people noted on the cells of a sheet, by cell."""
    found: dict[str, list[str]] = {}
    folder, _, name = part.lstrip("/").rpartition("/")
    for relation in _tree(archive, f"{folder}/_rels/{name}.rels"):
        kind = (relation.get("Type") or "").rpartition("/")[2]
        if kind in ("comments", "threadedComment"):
            target = relation.get("Target") or ""
            place = target[1:] if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
            for element in _tree(archive, place).iter():
                if _name(element) in ("comment", "threadedComment") and element.get("ref"):
                    text = " ".join("".join(_texts(element, ("t", "text"))).split())
                    if text and not text.startswith(_LEGACY):
                        found.setdefault(element.get("ref"), []).append(text)
    return {cell: " / ".join(said) for cell, said in found.items()}


def drawn_in(archive: zipfile.ZipFile, chartsheets: Sequence[str]) -> tuple[list[str], list[str]]:
    """The texts of text boxes, and sentences on what has no text."""
    texts = []
    for name in archive.namelist():
        if _DRAWING.fullmatch(name):
            for body in _tree(archive, name).iter():
                if _name(body) in ("txBody", "t") and (_name(body) == "txBody" or "diagrams" in name):
                    texts.append(" ".join(" ".join(_texts(body, ("t",))).split()))
    texts = [one for one in texts if one]
    counts = {noun: sum(1 for name in archive.namelist() if kind.fullmatch(name)) for noun, kind in _COUNTED}
    seen = [counted(count, noun) for noun, count in counts.items() if count]
    left_out = [f"{', '.join(seen)}: save it as a PDF to see them"] if seen else []
    if chartsheets:
        left_out.append(
            f"{counted(len(chartsheets), 'sheet')} with nothing but a chart: {names(chartsheets)}"
        )
    if len(texts) > _MOST_TEXTS:
        left_out.append(f"{len(texts) - _MOST_TEXTS:,} further text boxes")
    return texts[:_MOST_TEXTS], left_out


def _texts(element: Any, tags: tuple[str, ...]) -> Iterator[str]:
    for one in element.iter():
        if _name(one) in tags and (_name(one) == "t" or not len(one)):
            yield one.text or ""


def _tree(archive: zipfile.ZipFile, name: str) -> Any:
    """The part's root; an empty one where it is missing or broken, as programs do."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(archive.read(name), parser)
    except (
        KeyError,
        zipfile.BadZipFile,
        etree.XMLSyntaxError,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
    ):
        return etree.Element("nothing")


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]

"""What a .pptx says, slide by slide."""

import posixpath
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.left_out import numbers
from tool_runner.documents.office.properties import said_of
from tool_runner.documents.office.xml import attribute, name_of, one_line, part_of_zip
from tool_runner.documents.zips import checked_zip

NOUN = "presentation"
_ROOT = "ppt/presentation.xml"
_MOST_SLIDES = 2_000
_SEEN = {"pic": "pictures", "chart": "charts", "oleObj": "embedded files", "video": "videos"}
_NUMBERS = ("sldNum", "dt", "hdr", "ftr")
"""Placeholders that say the same on every page of notes."""


def read_pptx(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content`: each slide after a line with its number, with tables, notes and
    comments. `left_out`: what is missing. `Rejected` for what is broken, encrypted or too much."""
    [data] = inputs
    with checked_zip(data, NOUN) as archive:
        slides = _slides(archive)
        blocks, left_out = [], _LeftOut()
        for number, part in enumerate(slides[:_MOST_SLIDES], 1):
            blocks.append(_slide(archive, part, number, left_out))
        title, byline = said_of(archive)
    sentences = left_out.sentences()
    if len(slides) > _MOST_SLIDES:
        sentences.append(f"the slides after the first {_MOST_SLIDES:,}")
    content = "\n\n".join(blocks)
    return JobOutput(
        {"title": title, "byline": byline, "content": content, "left_out": list[Json](sentences)}
    )


class _LeftOut:
    """What slides hold beside their text."""

    def __init__(self) -> None:
        self.of: defaultdict[str, list[int]] = defaultdict(list)

    def sentences(self) -> list[str]:
        """What there is to say."""
        see = "save it as a PDF to see its slides as pictures"
        return [
            f"{what} on slide{'s' if len(found) > 1 else ''} {numbers(found)}: {see}"
            for what, found in self.of.items()
        ]


def _slides(archive: zipfile.ZipFile) -> list[str]:
    relations = _relations(archive, _ROOT)
    found = []
    for element in part_of_zip(archive, _ROOT, NOUN).iter():
        if name_of(element) == "sldId":
            place = next((value for key, value in element.items() if key.endswith("}id")), "")
            if place in relations:
                found.append(relations[place][1])
    return found


def _slide(archive: zipfile.ZipFile, part: str, number: int, left_out: _LeftOut) -> str:
    try:
        root = part_of_zip(archive, part, NOUN)
    except Rejected:
        left_out.of["what is broken"].append(number)
        return f"[Slide {number} can't be read]"
    lines = list(_lines(root))
    shown = {_SEEN[name] for name in map(name_of, root.iter()) if name in _SEEN}
    relations = _relations(archive, part)
    for kind, target in relations.values():
        if kind == "diagramData":
            lines += list(_lines(part_of_zip(archive, target, NOUN)))
        elif kind == "comments":
            lines += [f"[Comment: {one}]" for one in _comments(archive, target)]
        elif kind == "notesSlide":
            notes = [line for line in _lines(part_of_zip(archive, target, NOUN), notes=True) if line]
            lines += ["[Notes]", *notes] if notes else []
    if not any(lines) and not shown and len(root.findall(".//{*}sp")) > 0:
        shown = {"shapes without text"}
    for what in sorted(shown):
        left_out.of[what].append(number)
    hidden = " is hidden" if root.get("show") in ("0", "false") else ""
    return "\n".join([f"[Slide {number}{hidden}]", "", *lines]).rstrip()


def _lines(element: Any, *, notes: bool = False) -> Iterator[str]:
    """A line a paragraph, a row of a table as `| a | b |`."""
    for child in element:
        name = name_of(child)
        if name == "p":
            text = one_line("".join(_runs(child)))
            if text:
                yield text
        elif name == "tr":
            cells = [one_line(" ".join(_lines(cell))) for cell in child if name_of(cell) == "tc"]
            yield f"| {' | '.join(cells)} |"
        elif name == "AlternateContent":
            choices = [one for one in child if name_of(one) in ("Choice", "Fallback")]
            yield from _lines(choices[0], notes=notes) if choices else ()
        elif name == "sp" and notes and _placeholder(child) in _NUMBERS:
            continue
        else:
            if name == "cNvPr" and (caption := attribute(child, "descr")):
                yield f"[picture: {one_line(caption)}]"
            yield from _lines(child, notes=notes)


def _runs(paragraph: Any) -> Iterator[str]:
    for one in paragraph.iter():
        if name_of(one) == "t":
            yield one.text or ""
        elif name_of(one) in ("br", "tab"):
            yield " "


def _comments(archive: zipfile.ZipFile, part: str) -> Iterator[str]:
    for comment in part_of_zip(archive, part, NOUN).iter():
        if name_of(comment) in ("cm", "reply"):
            own = [one for one in comment.iter() if name_of(one) in ("text", "t")]
            text = one_line(" ".join(one.text or "" for one in own))
            if text:
                yield text


def _placeholder(shape: Any) -> str | None:
    return next((one.get("type") for one in shape.iter() if name_of(one) == "ph"), None)


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """By id: of what kind they are, and the part that they lead to."""
    folder, _, name = part.rpartition("/")
    place = f"{folder}/_rels/{name}.rels"
    if place not in archive.namelist():
        return {}
    found = {}
    for one in part_of_zip(archive, place, NOUN):
        if one.get("TargetMode") != "External":
            target = unquote(one.get("Target", ""))
            whole = target[1:] if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
            found[one.get("Id", "")] = (one.get("Type", "").rpartition("/")[2], whole)
    return found


JOBS = {"pptx": read_pptx}

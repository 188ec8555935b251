"""What a book says (.epub), chapter by chapter."""

import posixpath
import zipfile
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from egress.charset import decoded
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.left_out import counted, names
from tool_runner.documents.office.markdown import HtmlText, markdown_of
from tool_runner.documents.office.xml import name_of, one_line, part_of_zip
from tool_runner.documents.zips import checked_zip

NOUN = "book"
_CONTAINER = "META-INF/container.xml"
_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content`: the chapters in the book's order. `left_out`: what is missing.

    `Rejected` for what is broken, protected against copying, or too much.
    """
    [data] = inputs
    with checked_zip(data, NOUN) as archive:
        place = next(
            (
                one.get("full-path")
                for one in part_of_zip(archive, _CONTAINER, NOUN).iter()
                if one.get("full-path")
            ),
            None,
        )
        if place is None:
            raise Rejected("the book is broken: it doesn't say where its contents are")
        package = part_of_zip(archive, place, NOUN)
        locked = _locked(archive)
        folder = posixpath.dirname(place)
        chapters = [posixpath.normpath(posixpath.join(folder, unquote(one))) for one in _order(package)]
        blocks: list[str] = []
        missing: list[str] = []
        pictures = hidden = 0
        for name in chapters:
            if name not in archive.namelist() or name in locked:
                missing.append(name)
                continue
            said = _chapter(archive, name)
            pictures, hidden = pictures + said.pictures, hidden + said.hidden
            blocks.append(said.text)
    if not any(blocks):
        why = "it is protected against copying" if locked else "it has no chapters"
        raise Rejected(f"the book can't be read: {why}")
    left_out: list[Json] = []
    if missing:
        left_out.append(f"{counted(len(missing), 'chapter')} that can't be read: {names(missing)}")
    if pictures:
        left_out.append(counted(pictures, "picture"))
    if hidden:
        left_out.append(f"{counted(hidden, 'passage')} that the book hides from its readers")
    said_by = {name_of(one): one_line(one.text or "") for one in reversed(list(package.iter()))}
    about: dict[str, Json] = {"title": said_by.get("title") or None, "byline": said_by.get("creator") or None}
    return JobOutput({**about, "content": "\n\n".join(filter(None, blocks)), "left_out": left_out})


def _order(package: Any) -> list[str]:
    """The addresses of the chapters, in the order in which they are read."""
    items = {one.get("id"): one for one in package.iter() if name_of(one) == "item"}
    spine = [one.get("idref") for one in package.iter() if name_of(one) == "itemref"]
    found = [items[one] for one in spine if one in items]
    return [one.get("href", "") for one in found if one.get("media-type") in _CHAPTERS]


def _chapter(archive: zipfile.ZipFile, name: str) -> HtmlText:
    try:
        data = archive.read(name)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise Rejected(f"the book is broken: {error}") from error
    return markdown_of(decoded(data, "application/xhtml+xml"))


def _locked(archive: zipfile.ZipFile) -> frozenset[str]:
    """The parts that are encrypted."""
    place = "META-INF/encryption.xml"
    if place not in archive.namelist():
        return frozenset()
    found = (
        one.get("URI")
        for one in part_of_zip(archive, place, NOUN).iter()
        if name_of(one) == "CipherReference"
    )
    return frozenset(unquote(one) for one in found if one)


JOBS = {"epub": read_epub}

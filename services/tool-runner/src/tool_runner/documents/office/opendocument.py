"""What texts and presentations of OpenDocument say (.odt, .odp, .fodt), as markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.left_out import counted
from tool_runner.documents.office.properties import said_of
from tool_runner.documents.office.xml import attribute, name_of, one_line, part_of_zip, tree_of
from tool_runner.documents.zips import checked_zip

NOUN = "document"
_MOST_REPEATED = 100
_SEE = "save it as a PDF to see its pages as pictures"
_SILENT = frozenset(("tracked-changes", "sequence-decls", "variable-decls", "user-field-decls", "forms"))


def read_opendocument(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content`: headings, lists, tables, slides, notes and comments. `left_out`:
    what is missing. `Rejected` for what is broken, encrypted or too much."""
    [data] = inputs
    title = byline = None
    headers: list[str] = []
    if data.startswith(b"PK"):
        with checked_zip(data, NOUN) as archive:
            if b"encryption-data" in _manifest(archive):
                raise Rejected("the document is encrypted: it can only be read without a password")
            root = part_of_zip(archive, "content.xml", NOUN)
            title, byline = said_of(archive)
            if "styles.xml" in archive.namelist():
                headers = _headers(part_of_zip(archive, "styles.xml", NOUN))
    else:
        root = tree_of(data, NOUN)
        headers = _headers(root)
    body = next((one for one in root.iter() if name_of(one) == "body"), None)
    if body is None:
        raise Rejected("the document is broken: it has no body")
    text = _Text()
    blocks = [block for block in text.blocks(body) if block.strip()]
    content = "\n\n".join([*blocks, *text.notes, *headers])
    left_out = [f"{counted(count, noun)}: {_SEE}" for noun, count in text.seen.items() if count]
    deleted = sum(1 for one in root.iter() if name_of(one) == "deletion")
    if deleted:
        left_out.append(f"{counted(deleted, 'passage')} that tracked changes delete")
    return JobOutput({"title": title, "byline": byline, "content": content, "left_out": list[Json](left_out)})


class _Text:
    """Writes blocks; `notes` are footnotes, and `seen` counts what has no text."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.seen = {"picture": 0, "embedded file": 0}
        self._slides = 0

    def blocks(self, element: Any) -> Iterator[str]:
        """Of all that is in it."""
        for child in element:
            name = name_of(child)
            if name == "h":
                level = attribute(child, "outline-level") or "1"
                yield f"{'#' * min(6, int(level) if level.isdigit() else 1)} {one_line(self._inline(child))}"
            elif name == "p":
                yield self._inline(child)
            elif name == "list":
                yield "\n".join(self._items(child, 0))
            elif name == "table":
                yield "\n".join(self._rows(child))
            elif name == "page":
                self._slides += 1
                yield f"[Slide {self._slides}]"
                yield from self.blocks(child)
            elif name == "notes":
                noted = [one for one in self.blocks(child) if one.strip()]
                yield from ["[Notes]", *noted] if noted else ()
            elif name not in _SILENT:
                yield from self._other(child, name)

    def _other(self, element: Any, name: str) -> Iterator[str]:
        if name == "annotation":
            yield self._comment(element)
        elif name == "image":
            self.seen["picture"] += 1
        elif name in ("object", "object-ole", "plugin"):
            self.seen["embedded file"] += 1
        elif name in ("title", "desc"):
            yield f"[picture: {one_line(element.text or '')}]"
        elif not (name == "frame" and any(name_of(one) == "object" for one in element)):
            yield from self.blocks(element)
        else:  # the picture beside an object is what the object looks like
            self.seen["embedded file"] += 1

    def _inline(self, element: Any) -> str:
        said = [element.text or ""]
        for child in element:
            name = name_of(child)
            if name == "s":
                said.append(" " * min(int(attribute(child, "c") or "1"), _MOST_REPEATED))
            elif name in ("tab", "line-break"):
                said.append("\t" if name == "tab" else "\n")
            elif name == "note":
                said.append(self._note(child))
            elif name == "annotation":
                said.append(f" {self._comment(child)} ")
            elif name == "a":
                said.append(f"[{self._inline(child)}]({attribute(child, 'href') or ''})")
            elif name in ("span", "ruby", "ruby-base", "meta", "meta-field") or (
                child.text and not len(child)
            ):
                said.append(self._inline(child))
            elif name != "ruby-text":
                inner = [block for block in self._other(child, name) if block.strip()]
                said.append("\n".join(["", *inner, ""]) if inner else "")
            said.append(child.tail or "")
        return "".join(said)

    def _note(self, element: Any) -> str:
        citation = "".join(
            text for one in element if name_of(one) == "note-citation" for text in one.itertext()
        )
        body = (one for one in element if name_of(one) == "note-body")
        mark = f"[^{citation or len(self.notes) + 1}]"
        self.notes.append(f"{mark}: {one_line(' '.join(text for one in body for text in self.blocks(one)))}")
        return mark

    def _comment(self, element: Any) -> str:
        said = [self._inline(one) for one in element if name_of(one) in ("p", "list")]
        return f"[Comment: {one_line(' '.join(said))}]"

    def _items(self, element: Any, depth: int) -> Iterator[str]:
        for item in element:
            mark = f"{'  ' * depth}- "
            for child in item:
                if name_of(child) == "list":
                    yield from self._items(child, depth + 1)
                else:
                    inner = (
                        self._inline(child) if name_of(child) in ("p", "h") else " ".join(self.blocks(child))
                    )
                    yield f"{mark}{one_line(inner)}"
                    mark = "  " * (depth + 1)

    def _rows(self, table: Any) -> Iterator[str]:
        first = True
        for row in table.iter():
            if name_of(row) != "table-row" or _table_of(row) is not table:
                continue
            cells = [
                one_line(" ".join(self.blocks(cell))).replace("|", "\\|")
                for cell in row
                if name_of(cell) in ("table-cell", "covered-table-cell")
                for _ in range(_repeated(cell))
            ]
            yield f"| {' | '.join(cells)} |"
            if first:
                yield f"|{' --- |' * len(cells)}"
            first = False


def _table_of(row: Any) -> Any:
    return next((one for one in row.iterancestors() if name_of(one) == "table"), None)


def _repeated(cell: Any) -> int:
    said = attribute(cell, "number-columns-repeated") or "1"
    return min(int(said), _MOST_REPEATED) if said.isdigit() else 1


def _headers(styles: Any) -> list[str]:
    """What stands at the top and the bottom of pages."""
    found: dict[str, None] = {}
    for one in styles.iter():
        name = name_of(one).partition("-")[0]
        if name in ("header", "footer") and name_of(one).rpartition("-")[2] not in ("style", "properties"):
            text = one_line(" ".join(one.itertext()))
            if text:
                found[f"[Page {name}: {text}]"] = None
    return list(found)


def _manifest(archive: Any) -> bytes:
    names = archive.namelist()
    return bytes(archive.read("META-INF/manifest.xml")) if "META-INF/manifest.xml" in names else b""


JOBS = {"opendocument": read_opendocument}

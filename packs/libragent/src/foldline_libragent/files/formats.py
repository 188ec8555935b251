"""Files in other formats: tables as CSV, JSON, Markdown or HTML, texts as Markdown, HTML or plain. Pure.

A conversion that would lose what a file says is refused, with the formats that the file can have.
"""

import csv
import html
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from markdown_it import MarkdownIt

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json

Format = Literal["txt", "md", "html", "csv", "json"]
Kind = Literal["table", "json", "html", "md", "text"]

LARGEST = 5_000_000
"""Characters of a text that is converted."""
_KINDS: Mapping[str, Kind] = {
    "csv": "table",
    "tsv": "table",
    "json": "json",
    "html": "html",
    "htm": "html",
    "md": "md",
    "markdown": "md",
}
_SAME_AS = {"htm": "html", "markdown": "md"}
_PAGE = """\
<!doctype html>
<html>
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
{body}
</body>
</html>
"""

Rows = Sequence[Sequence[str]]


def has(path: str, wanted: Format) -> bool:
    """Whether a file is in this format already, by the end of its name."""
    suffix = path.rpartition(".")[2].lower()
    return suffix == wanted or _SAME_AS.get(suffix) == wanted


def kind_of(path: str) -> Kind:
    """What a file is, by the end of its name."""
    return _KINDS.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "text")


def converted(path: str, text: str, to: Format) -> str:
    """The text of a file, as `read_file` gives it, in another format. `Rejected(kind="invalid_arguments")`
    where the file can't have that, and for a table or JSON that can't be read."""
    if len(text) > LARGEST:
        message = f"the file has {len(text):,} characters: at most {LARGEST:,} are converted"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE, path="/path")
    kind = kind_of(path)
    make = _WAYS.get((kind, to))
    if make is None:
        possible = [one for its, one in _WAYS if its == kind]
        raise Rejected(
            f"{path} can't become {to}: it can become {', '.join(possible)}, or zip",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/format",
        )
    return make(text, path)


def _same(text: str, path: str) -> str:
    return text


def _rows(text: str, path: str) -> Rows:
    delimiter = "\t" if path.lower().endswith(".tsv") else ","
    try:
        return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise _unreadable(path, f"the table can't be read: {error}") from error


def _records(text: str, path: str) -> Rows:
    """A JSON array of objects as rows, with all their keys in the first."""
    value = _json(text, path)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        message = f"{path} is not a table: only a JSON array of objects can become csv"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/format")
    records: list[dict[str, Any]] = [one for one in value if isinstance(one, dict)]
    names = list(dict.fromkeys(name for one in records for name in one))
    return [names, *([_cell(one.get(name)) for name in names] for one in records)]


def _cell(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(text: str, path: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, f"the JSON can't be read: {error}") from error
    return value


def _csv(rows: Rows) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _objects(text: str, path: str) -> str:
    first, *rest = _rows(text, path) or [[]]
    names = [name or f"column_{number}" for number, name in enumerate(first, 1)]
    if len(set(names)) != len(names):
        raise _unreadable(path, "two columns of the table have one name: they can't be keys of one object")
    for number, row in enumerate(rest, 2):
        if len(row) > len(names):
            raise _unreadable(path, f"row {number} has {len(row)} cells, but the first has {len(names)}")
    objects = [dict(zip(names, row, strict=False)) for row in rest if row]
    return json.dumps(objects, ensure_ascii=False, indent=2) + "\n"


def _markdown_table(text: str, path: str) -> str:
    rows = _rows(text, path)
    width = max((len(row) for row in rows), default=0)
    lines = [
        "| " + " | ".join(_escaped(cell) for cell in (*row, *[""] * (width - len(row)))) + " |"
        for row in rows
    ]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) + "\n" if lines else ""


def _escaped(cell: str) -> str:
    return " ".join(cell.split()).replace("\\", "\\\\").replace("|", "\\|")


def _html_table(text: str, path: str) -> str:
    head, *rest = _rows(text, path) or [[]]

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    lines = [row(head, "th"), *(row(one, "td") for one in rest)]
    return _page(path, "<table>\n" + "\n".join(lines) + "\n</table>")


def _page(path: str, body: str) -> str:
    return _PAGE.format(title=html.escape(path.rpartition("/")[2]), body=body)


def _rendered(text: str, path: str) -> str:
    """Without the HTML that may stand in it: that is shown as text."""
    return _page(path, MarkdownIt("js-default").render(text).rstrip())


def _preformatted(text: str, path: str) -> str:
    return _page(path, f"<pre>{html.escape(text)}</pre>")


def _pretty(text: str, path: str) -> str:
    return json.dumps(_json(text, path), ensure_ascii=False, indent=2) + "\n"


def _fenced(text: str, path: str) -> str:
    return f"```json\n{_pretty(text, path)}```\n"


_WAYS: Mapping[tuple[Kind, Format], Callable[[str, str], str]] = {
    ("table", "csv"): lambda text, path: _csv(_rows(text, path)),
    ("table", "json"): _objects,
    ("table", "md"): _markdown_table,
    ("table", "html"): _html_table,
    ("table", "txt"): _same,
    ("json", "csv"): lambda text, path: _csv(_records(text, path)),
    ("json", "md"): _fenced,
    ("json", "html"): lambda text, path: _preformatted(_pretty(text, path), path),
    ("json", "txt"): _same,
    ("html", "md"): _same,
    ("html", "txt"): _same,
    ("md", "html"): _rendered,
    ("md", "txt"): _same,
    ("text", "txt"): _same,
    ("text", "md"): _same,
    ("text", "html"): _preformatted,
}


def _unreadable(path: str, why: str) -> Rejected:
    return Rejected(f"{path}: {why}. Nothing was exported", kind=ErrorKind.INVALID_ARGUMENTS, path="/path")

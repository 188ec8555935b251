"""What a .rtf says, by striprtf."""

import re
from collections.abc import Mapping

from striprtf.striprtf import rtf_to_text

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from tool_runner.documents.jobs import Inputs, JobOutput
from tool_runner.documents.left_out import counted
from tool_runner.documents.office.xml import one_line

_BESIDE = {
    "header": "Page header",
    "headerl": "Page header",
    "headerr": "Page header",
    "headerf": "Page header",
    "footer": "Page footer",
    "footerl": "Page footer",
    "footerr": "Page footer",
    "footerf": "Page footer",
    "footnote": "Note",
    "annotation": "Comment",
    "shptxt": "Text box",
}
"""Groups that striprtf leaves out."""
_GROUP = re.compile(r"\{(?:\\\*)?\\(" + "|".join(sorted(_BESIDE, key=len, reverse=True)) + r")(?![a-z])")
_TOKEN = re.compile(r"\\[{}\\]|[{}]")
_CODE_PAGE = re.compile(r"\\ansicpg(\d{2,5})")
_FONTS = re.compile(r"\{\\fonttbl(?:[^{}]|\{[^{}]*\})*\}")
_PICTURE = re.compile(r"\{(?:\\\*)?\\(?:pict|shppict)(?![a-z])")
_OBJECT = re.compile(r"\{\\object(?![a-z])")
_MOST_GROUPS = 2_000


def read_rtf(inputs: Inputs, options: Mapping[str, Json]) -> JobOutput:
    """Its `title`, `byline` and `content`, with notes, comments, text boxes, page headers and footers behind
    the text. `left_out`: what is missing. `Rejected` for what is no RTF."""
    text = inputs[0].decode("latin-1").lstrip("\ufeff\x00 \r\n")
    if not text.startswith("{\\rtf"):
        raise Rejected("it is not an RTF document")
    page = _CODE_PAGE.search(text)
    fonts = _FONTS.search(text)
    start = f"{{\\rtf1\\ansi{page.group() if page else ''}{fonts.group() if fonts else ''}"
    beside = []
    found = list(_GROUP.finditer(text))
    for group in found[:_MOST_GROUPS]:
        inner = text[group.end() : _end_of(text, group.end())]
        said = one_line(_plain(f"{start} {inner}}}"))
        if said:
            beside.append(f"[{_BESIDE[group.group(1)]}: {said}]")
    content = "\n\n".join([_plain(text).strip(), *dict.fromkeys(beside)])
    pictures, objects = len(_PICTURE.findall(text)), len(_OBJECT.findall(text))
    seen = [
        counted(count, noun)
        for noun, count in {"picture": pictures, "embedded file": objects}.items()
        if count
    ]
    left_out: list[Json] = (
        [f"{', '.join(seen)}: save it as a PDF to see its pages as pictures"] if seen else []
    )
    if len(found) > _MOST_GROUPS:
        left_out.append(f"{len(found) - _MOST_GROUPS:,} further notes and text boxes")
    return JobOutput({"title": None, "byline": None, "content": content, "left_out": left_out})


def _plain(rtf: str) -> str:
    try:
        said: str = rtf_to_text(rtf, errors="replace")  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        raise Rejected(f"the document is broken: {error}"[:300]) from error
    return said


def _end_of(text: str, begin: int) -> int:
    """Where the group that has begun ends."""
    depth = 1
    for token in _TOKEN.finditer(text, begin):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if not depth:
            return token.start()
    return len(text)


JOBS = {"rtf": read_rtf}

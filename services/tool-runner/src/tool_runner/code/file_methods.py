"""Which tool is behind `files.readText`, `browser.extractText`, …: told by the tools' names, by no list."""

import re

from agent_tools.ports.running import OtherTools
from agent_tools.tool import Tool

_OBJECTS = {
    "files": ("file", "files"),
    "spreadsheet": ("spreadsheet", "spreadsheets"),
    "pdf": ("pdf", "pdfs"),
    "image": ("image", "images"),
}
"""By the object in code: what the names of its tools begin or end with, and their family."""
_WORD = re.compile(r"([A-Z])")
_METHOD = re.compile(r"[a-z][a-zA-Z0-9]{0,63}")


def tool_behind(name: str, tools: OtherTools) -> Tool | None:
    """The tool that answers a host call: `file_read_text` is `files.readText`, `promote_file`
    `files.promote`."""
    known, _, method = name.partition(".")
    if known not in _OBJECTS or not _METHOD.fullmatch(method):
        return None
    noun, family = _OBJECTS[known]
    words = _snake_case(method)
    for candidate in (f"{noun}_{words}", f"{words}_{noun}"):
        tool = tools.find(candidate)
        if tool is not None and tool.spec.family == family:
            return tool
    return None


def tool_name(name: str) -> str | None:
    """`browser.extractText` is the tool `browser_extract_text`; None for what can't be a method."""
    known, _, method = name.partition(".")
    return f"{known}_{_snake_case(method)}" if _METHOD.fullmatch(method) else None


def _snake_case(method: str) -> str:
    return _WORD.sub(r"_\1", method).lower()

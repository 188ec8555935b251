"""`grep`: lines that match."""

import glob
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.files import AgentFiles, TextFiles
from agent_tools.ports.running import OtherTools
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.files.paths import folder_path, require_folder
from foldline_libragent.files.shapes import Folder
from foldline_libragent.running_core import ran

MOST = 100


class Grep(Arguments):
    """What to look for, and in what."""

    pattern: Annotated[str, Field(min_length=1, max_length=1_000, description="A regular expression.")]
    path: Folder = None
    input: Annotated[str | None, Field(max_length=1_000_000, description="A text instead of files.")] = None
    ignore_case: bool = False
    line_numbers: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.path is not None and self.input is not None:
            raise ValueError("give path or input, not both")
        return self


class Matched(Result):
    """The lines as grep prints them, `count` of them. `truncated`: there may be more; `skipped` are files
    that could not be searched, or not all of them, each with why."""

    output: str
    count: int
    truncated: bool
    skipped: list[str]


@tool("grep", family="files", effect=PURE, timeout_s=150, alias_of=CoreTool("file_search", "files"))
async def grep(args: Grep, files: AgentFiles, texts: TextFiles, tools: OtherTools) -> Matched:
    """Search the lines of files of the workspace, or of a text, by a regular expression."""
    if args.input is not None:
        try:
            found = await texts.search(args.input, args.pattern, ignore_case=args.ignore_case, most=MOST + 1)
        except Rejected as refused:
            refused.path = "/pattern"
            raise
        lines = [f"{one.number}:{one.text}" if args.line_numbers else one.text for one in found[:MOST]]
        return Matched(output="\n".join(lines), count=len(lines), truncated=len(found) > MOST, skipped=[])
    searched: dict[str, Any] = await ran(
        tools,
        "file_search",
        {
            "query": args.pattern,
            "regex": True,
            "ignore_case": args.ignore_case,
            "paths": await _patterns(args.path, files),
        },
        query="pattern",
    )
    lines = [_printed(one, numbers=args.line_numbers) for one in searched["matches"]]
    return Matched(
        output="\n".join(lines),
        count=len(lines),
        truncated=searched["truncated"],
        skipped=[
            *(f"{one['path']}: {one['why']}" for one in searched["skipped"]),
            *(
                f"{one['path']}: only its text was searched, without {one['what']}"
                for one in searched["left_out"]
            ),
        ],
    )


async def _patterns(path: str | None, files: AgentFiles) -> list[Any]:
    where, known = folder_path(path), await files.list()
    if not where:
        return []
    if any(file.path == where for file in known):
        return [glob.escape(where)]
    require_folder(known, where)
    return [f"{glob.escape(where)}/*"]


def _printed(match: dict[str, Any], *, numbers: bool) -> str:
    return ":".join([match["path"], *([str(match["line"])] if numbers else []), match["text"]])

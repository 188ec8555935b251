"""The tools that are core tools in Wintermute's words."""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_contracts.json_value import Json
from agent_tools.pack import Alias, SubstituteTool
from agent_tools.tool import Arguments

MOST_READ = 200_000
_CUT: dict[str, Json] = {
    "$text": [
        f"\n…[cut after about {MOST_READ:,} characters, of ",
        "$result.lines",
        " lines in all: file_read_text reads on, with offset ",
        "$result.next_offset",
        "]",
    ]
}
"""Characters of a file that are read at once: the most that the core tool gives."""


WORKSPACE = "/workspace"
"""Where Wintermute's commands see the files: its tools take paths that begin there, too."""


def in_workspace(path: str) -> str:
    """The path as files have it: without the workspace's own folder, and without steps that stay where they
    are. What leads out of the workspace stays as it is, and is refused where files are found."""
    inside = path.removeprefix(WORKSPACE) if path.startswith(f"{WORKSPACE}/") else path
    is_elsewhere = inside is path and path.startswith("/")
    kept = "/".join(step for step in inside.split("/") if step not in ("", "."))
    return path if is_elsewhere or not kept else kept


Path = Annotated[
    str,
    AfterValidator(in_workspace),
    Field(min_length=1, description="Relative to the workspace, or below /workspace."),
]


class WintermuteReadFile(Arguments):
    """Which."""

    path: Path


class WintermuteWriteFile(Arguments):
    """Which, and what."""

    path: Path
    content: Annotated[str, Field(description="All of its text.")]


class SearchWeb(Arguments):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=400, description="What to look for.")]
    max_results: Annotated[int, Field(description="At most so many, 1 to 20.")] = 5


class WintermuteFetchUrl(Arguments):
    """What to fetch."""

    url: Annotated[str, Field(min_length=1, description="On the public internet.")]
    max_chars: Annotated[int, Field(ge=1, description="Of its text.")] = 20_000


class AddSkill(Arguments):
    """What to write down."""

    skill_name: Annotated[str, Field(description="A name such as calendar: a-z, 0-9 and -.")]
    documentation: Annotated[str, Field(min_length=1, description="Markdown; its first line says what for.")]


ALIASES = (
    Alias(
        name="read_file",
        family="execution",
        description="Read a text file.",
        arguments=WintermuteReadFile,
        of="file_read_text",
        sends={"path": "$path", "max_chars": MOST_READ},
        gives={"content": {"$text": ["$result.text", {"$if": "$result.truncated", "then": _CUT}]}},
        always_sent=True,
        for_workers=True,
    ),
    Alias(
        name="write_file",
        family="execution",
        description="Write a text file; folders appear as needed.",
        arguments=WintermuteWriteFile,
        of="file_write_text",
        sends={"path": "$path", "text": "$content"},
        gives={"path": "$result.path", "size": "$result.size"},
        always_sent=True,
        for_workers=True,
    ),
    Alias(
        name="search_web",
        family="research",
        description="Search the web.",
        arguments=SearchWeb,
        of="web_search",
        sends={"query": "$query", "count": "$max_results"},
        gives={
            "query": "$result.query",
            "source": "$result.provider",
            "results": {
                "$each": "$result.results",
                "of": {"title": "$.title", "url": "$.url", "snippet": "$.snippet"},
            },
            "count": {"$count": "$result.results"},
        },
        always_sent=True,
        for_workers=True,
    ),
    Alias(
        name="fetch_url",
        family="research",
        description="Fetch a page as plain text. `length` is how many characters all of it has.",
        arguments=WintermuteFetchUrl,
        of="fetch_url",
        sends={"url": "$url", "as": "text"},
        gives={
            "url": "$result.url",
            "content_type": {"$first": ["$result.headers.content-type", ""]},
            "length": {"$count": "$result.body"},
            "content": {"$cut": "$result.body", "to": "$max_chars"},
        },
        always_sent=True,
        for_workers=True,
    ),
    Alias(
        name="add_skill",
        family="orchestration",
        description="Write down how something is done, for later sessions. One of that name is overwritten.",
        arguments=AddSkill,
        of="create_skill",
        sends={
            "name": "$skill_name",
            "description": {"$first_line": "$documentation"},
            "content": "$documentation",
        },
        or_else=SubstituteTool(
            "update_skill",
            {
                "name": "$skill_name",
                "operation": "replace",
                "description": {"$first_line": "$documentation"},
                "content": "$documentation",
            },
        ),
        gives={"status": "ok", "path": {"$text": ["skills/", "$skill_name", ".md"]}},
    ),
)
"""Data: each is a core tool, what it is sent, and what is told of its result."""

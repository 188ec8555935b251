"""`web_read`: what a page says, to be read."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable_text
from agent_tools.ports import AgentEgress
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from egress.charset import decoded, is_text
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import Job

LARGEST = 10 * 1024 * 1024
"""Bytes of a page or PDF that are read."""
_HEADERS = (
    ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 Foldline"),
    ("accept", "text/html,application/xhtml+xml,application/pdf,*/*;q=0.8"),
)


class WebRead(Arguments):
    """What to read, and from where on."""

    url: Annotated[str, Field(min_length=1, description="On the public internet.")]
    format: Literal["markdown", "text", "html"] = "markdown"
    offset: Annotated[int, Field(ge=0, description="next_offset of the part before.")] = 0
    max_chars: Annotated[int, Field(ge=200, le=200_000, description="About; whole paragraphs.")] = 20_000


class WebPage(Result):
    """The content, or the part of it that begins at `offset`. With `truncated`, `next_offset` is where the
    next part begins; `word_count` counts the words of all of it."""

    url: str
    title: str | None
    byline: str | None
    content: str
    word_count: int
    truncated: bool
    next_offset: int | None = None


@tool("web_read", family="web", effect=EXTERNAL, timeout_s=60, always_sent=True)
async def web_read(args: WebRead, egress: AgentEgress, documents: Documents) -> WebPage:
    """Read a web page or a PDF: its main content, title and author.

    Long content comes in parts. `fetch_url` makes any other request."""
    answer = await egress.fetch(FetchRequest(args.url, headers=_HEADERS, limit=LARGEST))
    if not answer.ok:
        raise Transient(f"{answer.url} answered with status {answer.status}", kind=ErrorKind.UPSTREAM)
    found = await _read(answer, args.format, documents)
    content = storable_text(str(found["content"]))
    end = _end_of_part(content, args.offset, args.max_chars)
    more = end < len(content)
    return WebPage(
        url=answer.url,
        title=_line(found["title"]),
        byline=_line(found["byline"]),
        content=content[args.offset : end].strip("\n"),
        word_count=len(content.split()),
        truncated=more or answer.truncated,
        next_offset=end if more else None,
    )


async def _read(answer: FetchResponse, form: str, documents: Documents) -> dict[str, Json]:
    kind = answer.headers.get("content-type", "").lower()
    if answer.body.startswith(b"%PDF-"):
        if answer.truncated:
            raise Rejected(f"the PDF is larger than {LARGEST // 2**20} MB", kind=ErrorKind.TOO_LARGE)
        return await _job(documents, Job("pdf", answer.body))
    if not is_text(answer.body, kind):
        raise Rejected(
            f"{answer.url} is {kind or 'no text'}, which can't be read: fetch_url stores it as a file"
        )
    beginning = answer.body[:1000].lstrip().lower()
    if "html" in kind or beginning.startswith((b"<!doctype html", b"<html")):
        options: dict[str, Json] = {
            "format": form,
            "content_type": kind,
            "truncated": answer.truncated,
            "url": answer.url,
        }
        return await _job(documents, Job("page", answer.body, options))
    return {
        "title": None,
        "byline": None,
        "content": decoded(answer.body, kind, truncated=answer.truncated),
    }


async def _job(documents: Documents, job: Job) -> dict[str, Json]:
    found = await documents.read(job)
    assert isinstance(found, dict)
    return found


def _end_of_part(content: str, offset: int, most: int) -> int:
    """Where a part ends: after a paragraph, else a line, else a word, else where it is full."""
    if len(content) - offset <= most:
        return len(content)
    for gap in ("\n\n", "\n", " "):
        found = content.rfind(gap, offset + most // 2, offset + most)
        if found >= 0:
            return found + len(gap)
    return offset + most


def _line(text: Json) -> str | None:
    return storable_text(" ".join(text.split()))[:500] if isinstance(text, str) and text.strip() else None

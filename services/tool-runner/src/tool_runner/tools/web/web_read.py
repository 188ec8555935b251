"""`web_read`: what a page says, to be read."""

from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_domain.policies.carrying import READERS_AGENT
from agent_platform.log.storable_text import storable_text
from agent_tools.pages.page_form import PageForm
from agent_tools.ports.outside import AgentEgress
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from egress.charset import decoded, is_text
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.documents.document_text import DocumentText, Page, document_text, text_job
from tool_runner.documents.documents import Documents
from tool_runner.documents.kinds import why_unreadable

LARGEST = 10 * 1024 * 1024
"""Bytes of a page or PDF that are read."""
_AS_A_FILE = "file_download stores the document, so that the tools for files can read it"
_AS_SOURCE = "fetch_url gives the page's source, with all of it"
_HEADERS = (
    ("user-agent", READERS_AGENT),
    ("accept", "text/html,application/xhtml+xml,application/pdf,*/*;q=0.8"),
)


class WebRead(Arguments):
    """What to read, and from where on."""

    url: Annotated[str, Field(min_length=1, description="On the public internet.")]
    format: PageForm = "markdown"
    offset: Annotated[int, Field(ge=0, description="next_offset of the part before.")] = 0
    max_chars: Annotated[int, Field(ge=200, le=200_000, description="About.")] = 20_000


class WebPage(Result):
    """The content, or the part of it that begins at `offset`; `left_out` says what no part of it has. With
    `truncated`, `next_offset` is where the next part begins; `word_count` counts the words of all of it."""

    url: str
    title: str | None
    byline: str | None
    left_out: list[str]
    content: str
    word_count: int
    truncated: bool
    next_offset: int | None = None


@tool("web_read", family="web", effect=EXTERNAL, timeout_s=60, source="web", always_sent=True)
async def web_read(args: WebRead, egress: AgentEgress, documents: Documents) -> WebPage:
    """Read a web page or a PDF: its main content, title and author.

    Long content comes in parts."""
    answer = await egress.fetch(FetchRequest(args.url, headers=_HEADERS, limit=LARGEST))
    if not answer.ok:
        raise Transient(f"{answer.url} answered with status {answer.status}", kind=ErrorKind.UPSTREAM)
    found = await _read(answer, args.format, documents)
    if answer.truncated:
        why = f"all after the first {LARGEST // 2**20} MB: file_download takes up to 50 MB"
        found = msgspec.structs.replace(found, left_out=[why, *found.left_out])
    content = storable_text(found.content)
    end = _end_of_part(content, args.offset, args.max_chars)
    more = end < len(content)
    return WebPage(
        url=answer.url,
        title=_line(found.title),
        byline=_line(found.byline),
        left_out=found.left_out,
        content=content[args.offset : end].strip("\n"),
        word_count=len(content.split()),
        truncated=more or answer.truncated,
        next_offset=end if more else None,
    )


async def _read(answer: FetchResponse, form: PageForm, documents: Documents) -> DocumentText:
    kind = answer.headers.get("content-type", "").lower()
    job = text_job(answer.body, kind, Page(form, answer.url, answer.truncated))
    if job is not None:
        if answer.truncated and job.family != "pages":
            why = f"the document is larger than {LARGEST // 2**20} MB"
            raise Rejected(why, kind=ErrorKind.TOO_LARGE)
        found = await document_text(documents, job)
        if found.left_out:
            how = _AS_SOURCE if job.family == "pages" else _AS_A_FILE
            found = msgspec.structs.replace(found, left_out=[*found.left_out, how])
        return found
    if not is_text(answer.body, kind):
        why = why_unreadable(answer.body, kind, urlsplit(answer.url).path)
        raise Rejected(f"{answer.url} can't be read as text: {why}; file_download stores it as a file")
    return DocumentText(decoded(answer.body, kind, truncated=answer.truncated))


def _end_of_part(content: str, offset: int, most: int) -> int:
    """Where a part ends: after a paragraph, else a line, else a word, else where it is full."""
    if len(content) - offset <= most:
        return len(content)
    for gap in ("\n\n", "\n", " "):
        found = content.rfind(gap, offset + most // 2, offset + most)
        if found >= 0:
            return found + len(gap)
    return offset + most


def _line(text: str | None) -> str | None:
    return storable_text(" ".join(text.split()))[:500] if text and text.strip() else None

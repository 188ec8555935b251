# Without a docstring: models are told no more of this family than its name.

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_domain.files.file import FileContent
from agent_domain.policies.request_contents import READERS_AGENT
from agent_platform.log.storable_text import storable, storable_text
from agent_tools.free_paths import create_at_free_path
from agent_tools.pages.page_form import PageForm
from agent_tools.pages.page_text import page_text
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentEgress
from agent_tools.ports.running import Compute
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from egress.charset import decoded, is_text
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.agent.files.file_names import name_of
from tool_runner.agent.searching.port import Freshness, SearchQuery
from tool_runner.agent.searching.regions import is_country
from tool_runner.agent.searching.services import SearchServices
from tool_runner.documents.document_text import DocumentText, PageOptions, document_text, text_job
from tool_runner.documents.documents import Documents
from tool_runner.documents.kinds import why_unreadable


class FetchUrl(Arguments):
    """The request, and how its answer is wanted."""

    url: Annotated[str, Field(min_length=1, description="On the public internet.")]
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] = "GET"
    headers: Annotated[dict[str, str], Field(description="By name.", default_factory=dict)]
    body: Annotated[str | None, Field(description="Sent as UTF-8. Not with GET and HEAD.")] = None
    max_chars: Annotated[int | None, Field(ge=1, description="Of the body.")] = None
    as_: Annotated[
        Literal["raw", "text"],
        Field(
            alias="as",
            description="text: of a page, what it says.",
        ),
    ] = "raw"


class FetchResult(Result):
    """The answer. `file_id` and `path` are of the file that a body became which is no text."""

    status: int
    ok: bool
    url: str
    headers: dict[str, str]
    body: str
    truncated: bool
    file_id: str | None = None
    path: str | None = None


@tool("fetch_url", family="web", effect=EXTERNAL, timeout_s=45, source="web")
async def fetch_url(args: FetchUrl, egress: AgentEgress, compute: Compute, files: AgentFiles) -> FetchResult:
    """Make one HTTP request.

    A body that is no text becomes a file. At most 2 MiB are read; file_download takes more.
    """
    answer = await egress.fetch(
        FetchRequest(
            args.url,
            args.method,
            tuple(args.headers.items()),
            args.body.encode(errors="replace") if args.body is not None else None,
        )
    )
    content_type = answer.headers.get("content-type", "")
    readable = is_text(answer.body, content_type)
    file_id = path = None
    body = ""
    if readable:
        body = await compute.run(lambda: _readable(answer, content_type, args.as_))
    elif answer.body:
        file = await create_at_free_path(files, name_of(answer), FileContent(answer.body, "web"))
        file_id, path = file.file_id, file.path
    cut = args.max_chars is not None and len(body) > args.max_chars
    return FetchResult(
        status=answer.status,
        ok=answer.ok,
        url=answer.url,
        headers=storable(answer.headers),
        body=storable(body[: args.max_chars]),
        truncated=answer.truncated or cut,
        file_id=file_id,
        path=path,
    )


def _readable(answer: FetchResponse, content_type: str, wanted: str) -> str:
    text = decoded(answer.body, content_type, truncated=answer.truncated)
    is_page = "html" in content_type or (not content_type and text.lstrip()[:1] == "<")
    return page_text(text) if wanted == "text" and is_page else text


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
    job = text_job(answer.body, kind, PageOptions(form, answer.url, answer.truncated))
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


_MOST = 20


def _country(code: str) -> str:
    if not is_country(code):
        raise ValueError(f"{code[:20]!r} is not a country's two letters, such as us or de")
    return code.lower()


def _clamped(count: int) -> int:
    return max(1, min(count, _MOST))


class WebSearchArguments(Arguments):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=400, description="What to look for.")]
    count: Annotated[int, AfterValidator(_clamped), Field(description="How many results, 1 to 20.")] = 10
    region: Annotated[
        str | None,
        AfterValidator(_country),
        Field(description="A country's two letters: results from there."),
    ] = None
    freshness: Annotated[Freshness | None, Field(description="Only what is at most this old.")] = None


class SearchResult(Result):
    """One page that was found."""

    title: str
    url: str
    snippet: str
    published: str | None = None


class SearchResults(Result):
    """What was found, best first; `provider` is who was asked."""

    query: str
    provider: str
    results: list[SearchResult]


@tool("web_search", family="web", effect=EXTERNAL, timeout_s=60, source="web")
async def web_search(args: WebSearchArguments, search: SearchServices) -> SearchResults:
    """Search the web. You get titles, addresses and snippets; read a page with web_read."""
    found = await search.search(SearchQuery(args.query, args.count, args.region, args.freshness))
    return SearchResults(
        query=args.query,
        provider=found.provider,
        results=[
            SearchResult(
                title=storable_text(one.title),
                url=storable_text(one.url),
                snippet=storable_text(one.snippet),
                published=storable_text(one.published) if one.published else None,
            )
            for one in found.results
        ],
    )

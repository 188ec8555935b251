"""`fetch_url`: one HTTP request."""

from typing import Annotated, Literal

from pydantic import Field

from agent_domain.files.file import Content
from agent_platform.log.storable_text import storable
from agent_tools.free_paths import create_at_free_path
from agent_tools.pages.page_text import page_text
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentEgress
from agent_tools.ports.running import Compute
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from egress.charset import decoded, is_text
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.agent.files.naming import name_of


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


class Fetched(Result):
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
async def fetch_url(args: FetchUrl, egress: AgentEgress, compute: Compute, files: AgentFiles) -> Fetched:
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
        file = await create_at_free_path(files, name_of(answer), Content(answer.body, "web"))
        file_id, path = file.file_id, file.path
    cut = args.max_chars is not None and len(body) > args.max_chars
    return Fetched(
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

"""`fetch_url`: one HTTP request."""

from typing import Annotated, Literal

from pydantic import Field

from agent_platform.blobs.port import Blobs
from agent_platform.log.storable_text import storable
from agent_tools.ports import AgentEgress, Compute
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from egress.charset import decoded, is_text
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.tools.web.page_text import page_text


class FetchUrl(Arguments):
    """The request, and how its answer is wanted."""

    url: Annotated[str, Field(min_length=1, description="An http or https address on the public internet.")]
    method: Annotated[
        Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], Field(description="GET if left out.")
    ] = "GET"
    headers: Annotated[dict[str, str], Field(description="Request headers by name.", default_factory=dict)]
    body: Annotated[
        str | None, Field(description="The request's body, sent as UTF-8. Not with GET and HEAD.")
    ] = None
    max_chars: Annotated[
        int | None, Field(ge=1, description="Give no more characters of the body than this.")
    ] = None
    as_: Annotated[
        Literal["raw", "text"],
        Field(
            alias="as",
            description="raw: the body as it is. text: of a page, only what it says, without markup.",
        ),
    ] = "raw"


class Fetched(Result):
    """The answer. `file_id` is where a body that is no text was stored, in place of `body`."""

    status: int
    ok: bool
    url: str
    headers: dict[str, str]
    body: str
    truncated: bool
    file_id: str | None = None


@tool("fetch_url", family="web", effect=EXTERNAL, timeout_s=45)
async def fetch_url(args: FetchUrl, egress: AgentEgress, compute: Compute, blobs: Blobs) -> Fetched:
    """Make one HTTP request and get its answer, whatever the status.

    Redirects are followed. At most 2 MiB of the body are read; use `as: "text"` and `max_chars` to get less
    to read. A body that is no text (a picture, a PDF) is stored and you get its file_id. Addresses in private
    networks can't be reached."""
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
    file_id = None
    body = ""
    if readable:
        body = await compute.run(lambda: _readable(answer, content_type, args.as_))
    elif answer.body:
        file_id = (
            await blobs.put(answer.body, content_type.partition(";")[0] or "application/octet-stream")
        ).sha256
    cut = args.max_chars is not None and len(body) > args.max_chars
    return Fetched(
        status=answer.status,
        ok=answer.ok,
        url=answer.url,
        headers=storable(answer.headers),
        body=storable(body[: args.max_chars]),
        truncated=answer.truncated or cut,
        file_id=file_id,
    )


def _readable(answer: FetchResponse, content_type: str, wanted: str) -> str:
    text = decoded(answer.body, content_type, truncated=answer.truncated)
    is_page = "html" in content_type or (not content_type and text.lstrip()[:1] == "<")
    return page_text(text) if wanted == "text" and is_page else text

"""the web"""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.tool_spec import CoreTool
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools
from agent_tools.text import TextResult
from agent_tools.tool import EXTERNAL, Arguments, tool

_SHOWN = 200
_READ = 2 * 1024 * 1024
"""As many characters as the core tool reads bytes: it cuts nothing, so it is seen whether any are left."""


class ProtoagentFetchUrl(Arguments):
    """What, and how much of it."""

    url: Annotated[str, Field(min_length=1, max_length=8_000, description="http:// or https://.")]
    max_chars: Annotated[int, Field(ge=1, le=200_000, description="Of the text.")] = 8_000


@tool(
    "fetch_url",
    family="web",
    effect=EXTERNAL,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("fetch_url", "web"),
)
async def fetch_url(args: ProtoagentFetchUrl, tools: OtherTools) -> TextResult:
    """Read an address on the web, as plain text: of a page what it says, anything else as it is."""
    if _scheme(args.url) not in ("http", "https"):
        raise Rejected(
            f"Error: url must start with http:// or https:// — got {args.url[:_SHOWN]!r}",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/url",
        )
    got = await core_result(tools, "fetch_url", {"url": args.url, "as": "text", "max_chars": _READ})
    if not got["ok"]:
        raise Permanent(f"Error: HTTP {got['status']} for {args.url[:_SHOWN]}", kind=ErrorKind.UPSTREAM)
    body = got["body"] if got["path"] is None else f"(not a text: it is the file {got['path']})"
    cut = len(body) > args.max_chars or got["truncated"]
    return TextResult(
        text=f"[{got['status']}] {args.url}\n{body[: args.max_chars]}{'…[truncated]' if cut else ''}"
    )


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme.lower()
    except ValueError:
        return ""


_MOST = 10


class WebSearch(Arguments):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=400, description="What to look for.")]
    max_results: Annotated[
        int, AfterValidator(lambda n: max(1, min(n, _MOST))), Field(description="1 to 10.")
    ] = 5


@tool(
    "web_search",
    family="web",
    effect=EXTERNAL,
    timeout_s=60,
    source="web",
    alias_of=CoreTool("web_search", "web"),
)
async def web_search(args: WebSearch, tools: OtherTools) -> TextResult:
    """Search the web. Gives titles, addresses and a few words of each; read a page with fetch_url."""
    found = await core_result(tools, "web_search", {"query": args.query, "count": args.max_results})
    results = found["results"][: args.max_results]
    if not results:
        return TextResult(text=f"No results for {args.query!r}.")
    lines = [line for number, one in enumerate(results, 1) for line in _lines(number, one)]
    return TextResult(text="\n".join([f"{len(results)} result(s) for {args.query!r}:", *lines]))


def _lines(number: int, one: Any) -> list[str]:
    title, snippet = (" ".join(str(one[part] or "").split()) for part in ("title", "snippet"))
    return [f"{number}. {title or '(no title)'} — {one['url']}", *([f"   {snippet}"] if snippet else [])]

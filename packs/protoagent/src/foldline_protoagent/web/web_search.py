"""`web_search`: the core tool's results as protoAgent's lines."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from agent_contracts.tool_spec import CoreTool
from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool

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
async def web_search(args: WebSearch, tools: OtherTools) -> Text:
    """Search the web. Gives titles, addresses and a few words of each; read a page with fetch_url."""
    found = await core_result(tools, "web_search", {"query": args.query, "count": args.max_results})
    results = found["results"][: args.max_results]
    if not results:
        return Text(text=f"No results for {args.query!r}.")
    lines = [line for number, one in enumerate(results, 1) for line in _lines(number, one)]
    return Text(text="\n".join([f"{len(results)} result(s) for {args.query!r}:", *lines]))


def _lines(number: int, one: Any) -> list[str]:
    title, snippet = (" ".join(str(one[part] or "").split()) for part in ("title", "snippet"))
    return [f"{number}. {title or '(no title)'} — {one['url']}", *([f"   {snippet}"] if snippet else [])]

"""What the tools of browser sessions take and return. A browser session is a page of this chat's browser."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.running import OtherTools
from agent_tools.tool import Arguments, Result
from foldline_libragent.running_core import ran

_BESIDE = ("context_lost", "dialogs", "new_pages", "downloads", "notes")


class OfSession(Arguments):
    """Which browser session."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)
    session_id: Annotated[str, Field(min_length=1, max_length=60, description="Of createSession.")]


class CamelCased(Result):
    """A result whose fields the model reads in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class BrowserSessionResult(CamelCased):
    """What every tool of a browser session tells; `beside` is what happened meanwhile: dialogs that the page
    opened, downloads, new pages."""

    session_id: str
    url: str
    title: str
    beside: dict[str, Json]


async def on_page(
    pages: BrowserPages, tools: OtherTools, session_id: str, tool: str, arguments: dict[str, Json]
) -> dict[str, Any]:
    """What one of the browser's own tools gives on this page. A refusal names our arguments."""
    try:
        pages.use(session_id)
        return await ran(tools, tool, arguments, page_id="sessionId", page="sessionId")
    except Rejected as refused:
        raise at_session(refused) from refused


def at_session(refused: Rejected) -> Rejected:
    """A refusal of a page as one of the session that it is."""
    if refused.path in ("/page_id", "/page"):
        refused.path = "/sessionId"
        refused.message = refused.message.replace("open page", "browser session", 1)
    return refused


def shown(session_id: str, result: dict[str, Any]) -> dict[str, Any]:
    """The fields of `BrowserSessionResult`, of what one of the browser's tools gave."""
    return {
        "session_id": session_id,
        "url": result["url"],
        "title": result["title"],
        "beside": {name: result[name] for name in _BESIDE if result.get(name)},
    }

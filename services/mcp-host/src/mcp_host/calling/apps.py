"""The extension `io.modelcontextprotocol/ui` (SEP-1865): a tool may bring an app, a page of HTML that shows
its result. It is kept as a file of the session, so that it can be drawn again without its server."""

from typing import Any

from mcp import Client
from mcp.client import ClientExtension
from mcp_types import ReadResourceResult

from agent_contracts.entities.mcp_tools import McpTool
from agent_contracts.errors import Failure
from mcp_host.calling.content import FromServer, ReceivedFile, ResultReader
from mcp_host.connecting.connection import McpConnection
from mcp_host.definitions.app_pages import MEDIA_TYPE, cleaned, html_of, page
from mcp_host.limits import APP_S

_ANOTHER = (
    "the server has another page now than the one that was accepted with the tool: "
    "the user has to look at it first, under MCP servers"
)


class Apps(ClientExtension):
    """Says that apps are drawn."""

    identifier = "io.modelcontextprotocol/ui"

    def settings(self) -> dict[str, Any]:
        """See `ClientExtension`."""
        return {"mimeTypes": [MEDIA_TYPE]}


async def with_app(
    result: FromServer, tool: McpTool, connection: McpConnection, receiving: ResultReader
) -> FromServer:
    """The result of a tool, with the app that the server has for it, or why there is none: the bytes that a
    person accepted, or nothing. Where they are others, the tools are listed anew, so that a person sees."""
    app: ReceivedFile | None = None
    try:
        html = html_of(await connection.call(lambda client: _read(client, tool.app), APP_S, acts=False))
        data = b"" if html is None else cleaned(html, connection.redaction)
        if html is None:
            why = f"under {tool.app} the server has no {MEDIA_TYPE}"
        elif page(data) != tool.page:
            why = _ANOTHER
            connection.list_again()
        else:
            app, why = await receiving.app(data)
    except Failure as failure:
        why = failure.message
    if app is None:
        return result.model_copy(update={"notes": (*result.notes, f"its app can't be shown: {why}"[:500])})
    return result.model_copy(update={"app": app})


async def _read(client: Client, uri: str) -> ReadResourceResult:
    return await client.read_resource(uri)

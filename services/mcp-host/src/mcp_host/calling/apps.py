"""The extension `io.modelcontextprotocol/ui` (SEP-1865): a tool may bring an app, a page of HTML that shows
its result. It is kept as a file of the session, so that it can be drawn again without its server."""

import base64
import binascii
from typing import Any

from mcp import Client
from mcp.client import ClientExtension
from mcp_types import BlobResourceContents, ReadResourceResult, TextResourceContents

from agent_contracts.errors import Failure
from mcp_host.calling.content import FromServer, Receiving, SentFile
from mcp_host.connecting.connection import Connection
from mcp_host.limits import APP_S

MEDIA_TYPE = "text/html;profile=mcp-app"


class Apps(ClientExtension):
    """Says that apps are drawn."""

    identifier = "io.modelcontextprotocol/ui"

    def settings(self) -> dict[str, Any]:
        """See `ClientExtension`."""
        return {"mimeTypes": [MEDIA_TYPE]}


async def with_app(result: FromServer, uri: str, connection: Connection, receiving: Receiving) -> FromServer:
    """The result of a tool, with the app that the server has under this address, or why there is none."""
    app: SentFile | None = None
    try:
        html = _html(await connection.call(lambda client: _read(client, uri), APP_S, acts=False))
        if html is None:
            why = f"under {uri} the server has no {MEDIA_TYPE}"
        else:
            app, why = await receiving.app(html)
    except Failure as failure:
        why = failure.message
    if app is None:
        return result.model_copy(update={"notes": (*result.notes, f"its app can't be shown: {why}"[:500])})
    return result.model_copy(update={"app": app})


async def _read(client: Client, uri: str) -> ReadResourceResult:
    return await client.read_resource(uri)


def _html(found: ReadResourceResult) -> str | None:
    """The page; None where what came is none."""
    for one in found.contents:
        if (one.mime_type or "").replace(" ", "").lower() != MEDIA_TYPE:
            continue
        match one:
            case TextResourceContents(text=text):
                return text
            case BlobResourceContents(blob=blob):
                try:
                    return base64.b64decode(blob, validate=True).decode()
                except (binascii.Error, UnicodeDecodeError, ValueError):
                    return None
    return None

"""The pages of a server's apps, as they are pinned: read when its tools are listed, and for each result."""

import asyncio
import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping

import structlog
from mcp import Client, MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    BlobResourceContents,
    ReadResourceResult,
    TextResourceContents,
)

from agent_contracts.entities.mcp_tools import AppPage
from agent_platform.log.storable_text import storable
from egress.redaction import Redaction
from mcp_host.limits import APP_S, APPS, FILE_BYTES

MEDIA_TYPE = "text/html;profile=mcp-app"
_LOST = (CONNECTION_CLOSED, REQUEST_TIMEOUT)

log = structlog.get_logger()


async def pages(client: Client, addresses: Iterable[str], redaction: Redaction) -> Mapping[str, AppPage]:
    """What the server has under these addresses, of as many as there is time and room for. A page that can't
    be had is none: its tool is another one than with it. Raises MCPError where the server is gone."""
    found: dict[str, AppPage] = {}
    try:
        async with asyncio.timeout(APP_S):
            for address in sorted(set(addresses))[:APPS]:
                try:
                    html = html_of(await client.read_resource(address))
                except (MCPError, RuntimeError, ValueError) as error:
                    if isinstance(error, MCPError) and error.code in _LOST:
                        raise
                    log.info("app.not_read", address=address, reason=redaction.text(str(error))[:500])
                    continue
                data = None if html is None else cleaned(html, redaction)
                if data is not None and len(data) <= FILE_BYTES:
                    found[address] = page(data)
    except TimeoutError:
        log.info("apps.not_read_in_time", read=len(found))
    return found


def page(data: bytes) -> AppPage:
    """What a page is pinned by."""
    return AppPage(hashlib.sha256(data).hexdigest(), len(data))


def cleaned(html: str, redaction: Redaction) -> bytes:
    """The page as it is kept and drawn."""
    return str(storable(redaction.text(html))).encode()


def html_of(found: ReadResourceResult) -> str | None:
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

"""How a server is asked whether it wants a login, and what for: by what it answers a stranger."""

from importlib.metadata import version

import httpx2
import mcp_types as types
from mcp.client.streamable_http import MCP_SESSION_ID
from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from mcp_host.login.careful_transport import CarefulTransport
from mcp_host.login.flow import CLIENT_NAME

_WHO = {"name": CLIENT_NAME, "version": version("mcp-host")}
_MODERN = {
    types.PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
    types.CLIENT_INFO_META_KEY: _WHO,
    types.CLIENT_CAPABILITIES_META_KEY: {},
}
_MESSAGES: tuple[dict[str, object], ...] = (
    {"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": {"_meta": _MODERN}},
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": _WHO},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


async def knock(client: httpx2.AsyncClient, sent: CarefulTransport, url: str) -> None:
    """Ask the server for what a stranger may get and what not, until it wants to know who asks. Some tell
    everybody who they are, and some what they can do: then as if it had asked, since a person says so."""
    headers = {"Accept": "application/json, text/event-stream"}
    modern = {
        MCP_PROTOCOL_VERSION_HEADER: LATEST_MODERN_VERSION,
        MCP_METHOD_HEADER: str(_MESSAGES[0]["method"]),
    }
    for message in _MESSAGES:
        first = message is _MESSAGES[0]
        answer = await client.post(url, json=message, headers={**headers, **(modern if first else {})})
        if session := answer.headers.get(MCP_SESSION_ID):
            headers[MCP_SESSION_ID] = session
    sent.challenges = True
    await client.post(url, json=_MESSAGES[-1], headers=headers)

"""One request of an MCP client, answered by the SDK's server, which is made for it.

Both eras of the protocol are served: a 2026-07-28 request is whole in itself; of an earlier one the session's
id says what counts.
"""

import importlib.metadata
import logging

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from gateway.mcp.client import McpClient
from gateway.mcp.completion import ArgumentCompletion
from gateway.mcp.handshake import ClientElicitation, serve
from gateway.mcp.prompts import ClientPrompts
from gateway.mcp.resources import ClientResources
from gateway.mcp.tool_calls import McpToolCalls
from gateway.mcp.tools import listed
from gateway.operations.operations import Operations

NAME = "foldline"
_INSTRUCTIONS = (
    "Foldline keeps each step of an agent as an event. ask_agent says something to the agent and waits for "
    "what it answers; read_session, read_event and state_at show what happened, by the addresses that they "
    "name; fork_session goes another way from an earlier point. What a call began goes on if you leave it. "
    "The agent's files are resources, its skills are prompts."
)

logging.getLogger("mcp").setLevel(logging.WARNING)  # it tells of each server that is made and ended


def server_for(
    operations: Operations, client: McpClient, asking: ClientElicitation
) -> "Server[dict[str, object]]":
    """What this client may use, as a server."""
    calling = McpToolCalls(operations, client, asking)

    async def list_tools(
        context: "ServerRequestContext[dict[str, object]]", params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return await listed(operations, client)

    async def call_tool(
        context: "ServerRequestContext[dict[str, object]]", params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await calling.call(context, params)

    resources, prompts = ClientResources(operations, client), ClientPrompts(operations, client)
    return Server(
        NAME,
        version=importlib.metadata.version("gateway"),
        title="Foldline",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources.listed,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.listed,
        on_get_prompt=prompts.get,
        on_completion=ArgumentCompletion(operations, client).complete,
    )


async def answer(  # noqa: PLR0913 — a request of ASGI, its body, and what answers it
    operations: Operations,
    client: McpClient,
    asking: ClientElicitation,
    body: bytes,
    scope: Scope,
    receive: Receive,
    send: Send,
) -> None:
    """Answer it. `receive` gives the body, which was read, once more."""
    server = server_for(operations, client, asking)
    version = Headers(scope=scope).get(MCP_PROTOCOL_VERSION_HEADER)
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        await serve(server, asking, body, scope, receive, send)
        return
    manager = StreamableHTTPSessionManager(server, stateless=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)

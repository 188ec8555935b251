"""Which tools code and apps get: of the agent's servers; apps read resources, too (`resources/read`)."""

from typing import Any

import msgspec
from mcp import Client
from mcp_types import ReadResourceResult

from agent_contracts.entities.mcp_tools import READ_MCP_RESOURCE
from agent_contracts.questions.code_calls import CodeCall
from agent_platform.log.storable_text import storable
from agent_tools.running.code_calls import Find
from agent_tools.tool import Result, Tool
from mcp_host.calling.foreign_tools import ServerTools
from mcp_host.calling.servers import AgentServers
from mcp_host.tools.mcp.read_mcp_resource import ReadMcpResource, read_mcp_resource


class ForApp(Result):
    """As MCP's `ReadResourceResult`: its own contents, and no file."""

    contents: list[dict[str, Any]]


async def _read(args: ReadMcpResource, servers: AgentServers) -> ForApp:
    connection = await servers.connection(args.server)
    wanted = await servers.wanted(args.server)

    async def read(client: Client) -> ReadResourceResult:
        return await client.read_resource(args.uri)

    found = await connection.call(read, wanted.timeout_s, acts=False)
    said = found.model_dump(mode="json", by_alias=True, exclude_none=True)
    return ForApp(contents=storable(connection.redaction.json(said["contents"])))


_READ_FOR_APP: Tool = msgspec.structs.replace(
    read_mcp_resource, run=_read, asks=(("servers", AgentServers),), module=__name__
)
"""Judged as `read_mcp_resource`, which an agent calls: under the same name."""


def asked_for(foreign: ServerTools) -> Find:
    """Finds what code asks for, and what apps do of their own server, which alone they can name."""

    async def found(asked: CodeCall) -> Tool | None:
        of_app = asked.of_app is not None
        if of_app and asked.tool == READ_MCP_RESOURCE:
            return _READ_FOR_APP
        return await foreign.named(asked.agent_id, asked.tool, asked.sequence, to_apps=of_app)

    return found

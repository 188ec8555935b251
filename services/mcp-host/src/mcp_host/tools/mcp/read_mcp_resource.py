"""`read_mcp_resource`: what a foreign server has under an address."""

from typing import Annotated

from mcp import Client
from mcp_types import ReadResourceResult
from pydantic import Field

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.tool_spec import RunsOn
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import EXTERNAL, Arguments, tool
from mcp_host.calling.content import FromServer, ResultReader
from mcp_host.calling.servers import AgentServers

_NOT_THERE = (ErrorKind.INVALID_ARGUMENTS, ErrorKind.NOT_FOUND)
"""How servers of the newer protocol, and of the older, say that there is no such thing."""


class ReadMcpResource(Arguments):
    """Of one server, by its address there."""

    server: Annotated[str, Field(min_length=1, max_length=32)]
    uri: Annotated[str, Field(min_length=1, max_length=2000)]


@tool("read_mcp_resource", family="mcp", effect=EXTERNAL, runs_on=RunsOn.MCP, timeout_s=60, source="mcp")
async def read_mcp_resource(args: ReadMcpResource, servers: AgentServers, files: AgentFiles) -> FromServer:
    """Read a resource of an MCP server by its `uri`. Pictures, other binary content and text over 256 KiB
    become files of this session."""
    connection = await servers.connection(args.server)
    wanted = await servers.wanted(args.server)

    async def read(client: Client) -> ReadResourceResult:
        return await client.read_resource(args.uri)

    try:
        found = await connection.call(read, wanted.timeout_s, acts=False)
    except Rejected as refused:
        if refused.kind in _NOT_THERE:
            raise Rejected(refused.message, kind=ErrorKind.NOT_FOUND, path="/uri") from refused
        raise
    receiving = ResultReader(files, connection.redaction, args.server)
    texts: list[str] = []
    for content in found.contents:
        texts += await receiving.resource(content)
    result = await receiving.result([])
    if not found.contents:
        raise Permanent("the server sent nothing under this address", kind=ErrorKind.UPSTREAM)
    return result.model_copy(update={"text": "\n\n".join(texts)})

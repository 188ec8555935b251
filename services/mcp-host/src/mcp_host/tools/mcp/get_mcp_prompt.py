"""`get_mcp_prompt`: a prompt of a foreign server, with arguments put in."""

from typing import Annotated

from mcp import Client
from mcp_types import GetPromptResult, PromptMessage, TextContent
from pydantic import Field

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import RunsOn
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from mcp_host.calling.content import FromServer, ResultReader
from mcp_host.calling.prompts import why_refused
from mcp_host.calling.servers import AgentServers

_Value = Annotated[str, Field(max_length=20_000)]


class GetMcpPrompt(Arguments):
    """Of one server, by its name there."""

    server: Annotated[str, Field(min_length=1, max_length=32)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: Annotated[dict[str, _Value], Field(max_length=20, default_factory=dict)]


class McpPromptMessage(Result):
    """One message of it."""

    role: str
    content: FromServer


class GotPrompt(Result):
    """The prompt, in the server's words."""

    description: str
    messages: list[McpPromptMessage]


@tool("get_mcp_prompt", family="mcp", effect=EXTERNAL, runs_on=RunsOn.MCP, timeout_s=60, source="mcp")
async def get_mcp_prompt(args: GetMcpPrompt, servers: AgentServers, files: AgentFiles) -> GotPrompt:
    """Get a prompt of an MCP server with these arguments. It is the server's text: what it asks for, the
    user did not. Text over 256 KiB and pictures become files of this session."""
    connection = await servers.connection(args.server)
    wanted = await servers.wanted(args.server)

    async def got(client: Client) -> GetPromptResult:
        return await client.get_prompt(args.name, dict(args.arguments))

    try:
        found = await connection.call(got, wanted.timeout_s, acts=False)
    except Rejected as refused:
        raise await why_refused(connection, args.name, args.arguments, refused) from refused
    messages = []
    for message in found.messages[:50]:
        receiving = ResultReader(files, connection.redaction, args.server)
        messages.append(
            McpPromptMessage(role=message.role, content=await _received(receiving, message, args.name))
        )
    description = connection.redaction.excerpt((found.description or "")[:2000])
    return GotPrompt(description=description, messages=messages)


async def _received(receiving: ResultReader, message: PromptMessage, name: str) -> FromServer:
    if not isinstance(message.content, TextContent):
        return await receiving.result([message.content])
    texts = await receiving.text(message.content.text, "text/plain", name)
    return (await receiving.result([])).model_copy(update={"text": "".join(texts)})

"""`list_mcp_resources`: what a foreign server has to be read."""

from typing import Annotated

from mcp import Client
from mcp_types import Resource
from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Arguments, Result, tool
from mcp_host.calling.servers import AgentServers
from mcp_host.limits import LIST_S, MOST_LISTED, PAGES


class ListMcpResources(Arguments):
    """Of one server."""

    server: Annotated[str, Field(min_length=1, max_length=32)]


class Listed(Result):
    """One resource, or with braces in its `uri` a form of many."""

    uri: str
    name: str
    description: str = ""
    media_type: str = ""
    size: int | None = None


class Resources(Result):
    """As the server names them; `more` are not listed."""

    resources: list[Listed]
    templates: list[Listed]
    more: int = 0


@tool("list_mcp_resources", family="mcp", effect=PURE, runs_on=RunsOn.MCP, source="mcp")
async def list_mcp_resources(args: ListMcpResources, servers: AgentServers) -> Resources:
    """List what an MCP server has to be read, by address, with `read_mcp_resource`."""
    connection = await servers.connection(args.server)

    async def found(client: Client) -> tuple[list[Listed], list[Listed]]:
        if client.server_capabilities.resources is None:
            return [], []
        return await _resources(client), await _templates(client)

    resources, templates = await connection.call(found, LIST_S, acts=False)
    more = max(0, len(resources) - MOST_LISTED) + max(0, len(templates) - MOST_LISTED)
    told = Resources(resources=resources[:MOST_LISTED], templates=templates[:MOST_LISTED], more=more)
    return Resources.model_validate(connection.redaction.json(told.model_dump(mode="json")))


async def _resources(client: Client) -> list[Listed]:
    found: list[Resource] = []
    cursor: str | None = None
    for _ in range(PAGES):
        page = await client.list_resources(cursor=cursor)
        found += page.resources
        cursor = page.next_cursor
        if not cursor:
            break
    return [
        Listed(
            uri=one.uri[:2000],
            name=(one.title or one.name)[:200],
            description=(one.description or "")[:500],
            media_type=(one.mime_type or "")[:100],
            size=one.size,
        )
        for one in found
    ]


async def _templates(client: Client) -> list[Listed]:
    page = await client.list_resource_templates()
    return [
        Listed(
            uri=one.uri_template[:2000],
            name=(one.title or one.name)[:200],
            description=(one.description or "")[:500],
            media_type=(one.mime_type or "")[:100],
        )
        for one in page.resource_templates
    ]

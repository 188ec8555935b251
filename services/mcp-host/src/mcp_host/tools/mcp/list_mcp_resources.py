"""`list_mcp_resources`: what a foreign server has to be read."""

from collections.abc import Callable
from typing import Annotated

from mcp import Client
from mcp_types import ListResourcesResult, ListResourceTemplatesResult, Resource, ResourceTemplate
from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Arguments, Result, tool
from mcp_host.calling.servers import AgentServers
from mcp_host.calling.unusable_entries import UnusableEntry, unusable_of
from mcp_host.definitions.paging import McpListing, all_pages
from mcp_host.limits import LISTED_S, MOST_LISTED, SHOWN_S


class ListMcpResources(Arguments):
    """Of one server."""

    server: Annotated[str, Field(min_length=1, max_length=32)]


class ListedResource(Result):
    """One resource, or with braces in its `uri` a form of many."""

    uri: str
    name: str
    description: str = ""
    media_type: str = ""
    size: int | None = None


class ResourceList(Result):
    """As the server names them; `more` are not listed, and `unusable` says which can't be used, and why.
    `incomplete` says why the server may have more."""

    resources: list[ListedResource]
    templates: list[ListedResource]
    more: int = 0
    unusable: tuple[UnusableEntry, ...] = ()
    incomplete: str = ""


@tool("list_mcp_resources", family="mcp", effect=PURE, runs_on=RunsOn.MCP, source="mcp")
async def list_mcp_resources(args: ListMcpResources, servers: AgentServers) -> ResourceList:
    """List what an MCP server has to be read, by address, with `read_mcp_resource`."""
    connection = await servers.connection(args.server)

    async def found(client: Client) -> tuple[McpListing[Resource], McpListing[ResourceTemplate]]:
        if client.server_capabilities.resources is None:
            return McpListing(), McpListing()
        clean = connection.redaction.text
        return await _resources(client, clean), await _templates(client, clean)

    resources, templates = await connection.call(found, LISTED_S, acts=False)
    told = ResourceList(
        resources=[_listed(one, one.uri) for one in resources.entries[:MOST_LISTED]],
        templates=[_listed(one, one.uri_template) for one in templates.entries[:MOST_LISTED]],
        more=sum(max(0, len(one) - MOST_LISTED) for one in (resources.entries, templates.entries)),
        unusable=unusable_of(resources, templates),
        incomplete=resources.incomplete or templates.incomplete,
    )
    return ResourceList.model_validate(connection.redaction.json(told.model_dump(mode="json")))


async def _resources(client: Client, clean: Callable[[str], str]) -> McpListing[Resource]:
    async def page(cursor: str | None) -> ListResourcesResult:
        return await client.list_resources(cursor=cursor)

    return await all_pages(client, page, lambda one: one.resources, SHOWN_S / 2, clean)


async def _templates(client: Client, clean: Callable[[str], str]) -> McpListing[ResourceTemplate]:
    async def page(cursor: str | None) -> ListResourceTemplatesResult:
        return await client.list_resource_templates(cursor=cursor)

    return await all_pages(client, page, lambda one: one.resource_templates, SHOWN_S / 2, clean)


def _listed(one: Resource | ResourceTemplate, uri: str) -> ListedResource:
    return ListedResource(
        uri=uri[:2000],
        name=(one.title or one.name)[:200],
        description=(one.description or "")[:500],
        media_type=(one.mime_type or "")[:100],
        size=one.size if isinstance(one, Resource) else None,
    )

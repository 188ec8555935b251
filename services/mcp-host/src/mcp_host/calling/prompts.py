"""The prompts of a server, and why it refused to give one."""

from collections.abc import Callable, Mapping

from mcp import Client
from mcp_types import ListPromptsResult, Prompt

from agent_contracts.errors import ErrorKind, Failure, Rejected
from mcp_host.connecting.connection import McpConnection
from mcp_host.definitions.paging import McpListing, all_pages
from mcp_host.limits import LISTED_S, SHOWN_S


async def prompts_of(client: Client, clean: Callable[[str], str]) -> McpListing[Prompt]:
    """All that it lists, within bounds. `clean` takes secrets out of its words."""
    if client.server_capabilities.prompts is None:
        return McpListing()

    async def page(cursor: str | None) -> ListPromptsResult:
        return await client.list_prompts(cursor=cursor)

    return await all_pages(client, page, lambda one: one.prompts, SHOWN_S, clean)


async def listed_prompts(connection: McpConnection) -> McpListing[Prompt]:
    """The prompts of the server that is connected."""

    async def found(client: Client) -> McpListing[Prompt]:
        return await prompts_of(client, connection.redaction.text)

    return await connection.call(found, LISTED_S, acts=False)


async def why_refused(
    connection: McpConnection, name: str, given: Mapping[str, str], refused: Rejected
) -> Rejected:
    """What its list says of it: servers have no code of their own for a prompt that isn't there, nor for
    arguments that are missing."""
    try:
        listed = await listed_prompts(connection)
    except Failure as failure:
        raise refused from failure
    known = next((one for one in listed.entries if one.name == name), None)
    flawed = next((one for one in listed.flawed if one.name == name), None)
    if known is None and flawed is not None:
        message = f"the server's prompt {name!r} can't be used: {connection.redaction.text(flawed.flaw)}"
        return Rejected(message, kind=ErrorKind.NOT_AVAILABLE, path="/name")
    if known is None:
        message = f"the server has no prompt {name!r}: list_mcp_prompts names those it has"
        return Rejected(message, kind=ErrorKind.NOT_FOUND, path="/name")
    wanted = {one.name for one in known.arguments or [] if one.required}
    if missing := sorted(one[:200] for one in wanted - given.keys())[:20]:
        message = f"the prompt needs more arguments: {', '.join(missing)}"
        return Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/arguments")
    return refused

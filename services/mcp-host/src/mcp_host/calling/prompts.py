"""The prompts of a server, and why it refused to give one."""

from collections.abc import Mapping

from mcp import Client
from mcp_types import Prompt

from agent_contracts.errors import ErrorKind, Failure, Rejected
from mcp_host.connecting.connection import Connection
from mcp_host.limits import LIST_S, PAGES


async def prompts_of(client: Client) -> list[Prompt]:
    """All that it lists, within bounds."""
    listed: list[Prompt] = []
    if client.server_capabilities.prompts is None:
        return listed
    cursor: str | None = None
    for _ in range(PAGES):
        page = await client.list_prompts(cursor=cursor)
        listed += page.prompts
        cursor = page.next_cursor
        if not cursor:
            break
    return listed


async def why_refused(
    connection: Connection, name: str, given: Mapping[str, str], refused: Rejected
) -> Rejected:
    """What its list says of it: servers have no code of their own for a prompt that isn't there, nor for
    arguments that are missing."""
    try:
        listed = await connection.call(prompts_of, LIST_S, acts=False)
    except Failure as failure:
        raise refused from failure
    known = next((one for one in listed if one.name == name), None)
    if known is None:
        message = f"the server has no prompt {name!r}: list_mcp_prompts names those it has"
        return Rejected(message, kind=ErrorKind.NOT_FOUND, path="/name")
    wanted = {one.name for one in known.arguments or [] if one.required}
    if missing := sorted(one[:200] for one in wanted - given.keys())[:20]:
        message = f"the prompt needs more arguments: {', '.join(missing)}"
        return Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/arguments")
    return refused

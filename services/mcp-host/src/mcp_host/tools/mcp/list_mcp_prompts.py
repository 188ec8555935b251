"""`list_mcp_prompts`: which prompts a foreign server has."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Arguments, Result, tool
from mcp_host.calling.prompts import listed_prompts
from mcp_host.calling.servers import AgentServers
from mcp_host.calling.unusable_entries import UnusableEntry, unusable_of
from mcp_host.limits import MOST_LISTED


class ListMcpPrompts(Arguments):
    """Of one server."""

    server: Annotated[str, Field(min_length=1, max_length=32)]


class Argument(Result):
    """What a prompt is given, as text."""

    name: str
    description: str = ""
    required: bool = False


class ListedPrompt(Result):
    """One prompt."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[Argument, ...] = ()


class PromptList(Result):
    """As the server names them; `more` are not listed, and `unusable` says which can't be used, and why.
    `incomplete` says why the server may have more."""

    prompts: list[ListedPrompt]
    more: int = 0
    unusable: tuple[UnusableEntry, ...] = ()
    incomplete: str = ""


@tool("list_mcp_prompts", family="mcp", effect=PURE, runs_on=RunsOn.MCP, source="mcp")
async def list_mcp_prompts(args: ListMcpPrompts, servers: AgentServers) -> PromptList:
    """List the prompts that an MCP server offers; get one with `get_mcp_prompt`."""
    connection = await servers.connection(args.server)
    listing = await listed_prompts(connection)
    shown = [
        ListedPrompt(
            name=one.name[:200],
            title=(one.title or "")[:200],
            description=(one.description or "")[:500],
            arguments=tuple(
                Argument(
                    name=argument.name[:200],
                    description=(argument.description or "")[:300],
                    required=bool(argument.required),
                )
                for argument in (one.arguments or [])[:20]
            ),
        )
        for one in listing.entries[:MOST_LISTED]
    ]
    told = PromptList(
        prompts=shown,
        more=max(0, len(listing.entries) - MOST_LISTED),
        unusable=unusable_of(listing),
        incomplete=listing.incomplete,
    )
    return PromptList.model_validate(connection.redaction.json(told.model_dump(mode="json")))

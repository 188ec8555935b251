"""`list_mcp_prompts`: which prompts a foreign server has."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Arguments, Result, tool
from mcp_host.calling.prompts import prompts_of
from mcp_host.calling.servers import AgentServers
from mcp_host.limits import LIST_S, MOST_LISTED


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


class Prompts(Result):
    """As the server names them; `more` are not listed."""

    prompts: list[ListedPrompt]
    more: int = 0


@tool("list_mcp_prompts", family="mcp", effect=PURE, runs_on=RunsOn.MCP, source="mcp")
async def list_mcp_prompts(args: ListMcpPrompts, servers: AgentServers) -> Prompts:
    """List the prompts that an MCP server offers; get one with `get_mcp_prompt`."""
    connection = await servers.connection(args.server)
    prompts = await connection.call(prompts_of, LIST_S, acts=False)
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
        for one in prompts[:MOST_LISTED]
    ]
    told = Prompts(prompts=shown, more=max(0, len(prompts) - MOST_LISTED))
    return Prompts.model_validate(connection.redaction.json(told.model_dump(mode="json")))

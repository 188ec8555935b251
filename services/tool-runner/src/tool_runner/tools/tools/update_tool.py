"""`update_tool`: the agent changes a tool."""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from agent_contracts.definitions import TOOL, ToolDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Code, Description, Name, Versioned
from tool_runner.definition_checks import check_code_and_schema
from tool_runner.tool import Arguments, tool


class UpdateTool(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    parameter_schema: Annotated[
        dict[str, Any] | None, Field(description="JSON Schema (2020-12) of type object, without references.")
    ] = None
    code: Code | None = None


@tool("update_tool", family="tools", effect=Effect.RECORDED)
async def update_tool(args: UpdateTool, ctx: ToolContext) -> Versioned:
    """Change a tool of yours: only what you give is changed. Every version is kept.

    Schema and code are checked first; if either is wrong, the tool stays as it is.
    """
    await check_code_and_schema(ctx, args.code, args.parameter_schema)
    given = storable(args.model_dump(exclude={"name"}, exclude_none=True))

    def change(found: ToolDefinition) -> ToolDefinition:
        return msgspec.structs.replace(found, **given)

    return Versioned(name=args.name, version=await ctx.definitions.update(TOOL, args.name, change))

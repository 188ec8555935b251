"""`create_function`: the agent makes a function."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.definitions import FUNCTION, ToolDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Code, CodeName, Description, Versioned
from tool_runner.definition_checks import check_code_and_schema, check_new_name
from tool_runner.tool import Arguments, tool


class CreateFunction(Arguments):
    """The function."""

    name: CodeName
    description: Annotated[
        Description, Field(description="What it is for, in the words by which it is chosen.")
    ]
    parameter_schema: Annotated[
        dict[str, Any],
        Field(description="JSON Schema (2020-12) of its arguments, of type object, without references."),
    ]
    code: Annotated[Code, Field(description="The body of an async JavaScript function of `args`.")]


@tool("create_function", family="functions", effect=Effect.RECORDED)
async def create_function(args: CreateFunction, ctx: ToolContext) -> Versioned:
    """Make a function: code that your pages call, and your tools by `functions.call(name, args)`.

    It is written like a tool, but you can't call it yourself. Schema and code are checked first; nothing is
    stored if either is wrong."""
    await check_new_name(ctx, FUNCTION, args.name)
    await check_code_and_schema(ctx, args.code, args.parameter_schema)
    made = ToolDefinition(storable(args.description), storable(args.parameter_schema), storable(args.code))
    return Versioned(name=args.name, version=await ctx.definitions.create(FUNCTION, args.name, made))

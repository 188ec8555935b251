"""`create_ui_component`: the agent makes a page or a part of one."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.definitions import COMPONENT, COMPONENT_NAME, ComponentDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.storable_text import storable
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Code, Description, Versioned
from tool_runner.definition_checks import check_schema
from tool_runner.tool import Arguments, tool


class CreateUiComponent(Arguments):
    """The component."""

    name: Annotated[
        str,
        Field(
            pattern=COMPONENT_NAME,
            description="A new name: letters, digits, spaces, - and _, beginning with a letter, at most 64.",
        ),
    ]
    description: Annotated[Description, Field(description="What it shows or does.")]
    code: Annotated[Code, Field(description="React in JSX or TSX that exports the component as its default.")]
    props_schema: Annotated[
        dict[str, Any] | None,
        Field(description="JSON Schema (2020-12) of the props it expects, without references."),
    ] = None


@tool("create_ui_component", family="components", effect=Effect.RECORDED)
async def create_ui_component(args: CreateUiComponent, ctx: ToolContext) -> Versioned:
    """Store a React component: a page of its own for the user, or something to render in the conversation."""
    if args.props_schema is not None:
        check_schema(args.props_schema, "/props_schema")
    made = ComponentDefinition(storable(args.description), storable(args.code), storable(args.props_schema))
    return Versioned(name=args.name, version=await ctx.definitions.create(COMPONENT, args.name, made))

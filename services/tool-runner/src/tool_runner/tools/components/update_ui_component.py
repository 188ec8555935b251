"""`update_ui_component`: the agent changes a component."""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from agent_contracts.definitions import COMPONENT, ComponentDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from tool_runner.code_check import require_parses
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Code, Description, Name, Versioned
from tool_runner.definition_checks import check_schema
from tool_runner.tool import Arguments, tool


class UpdateUiComponent(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    code: Code | None = None
    props_schema: Annotated[
        dict[str, Any] | None,
        Field(description="JSON Schema (2020-12) of the props it expects, without references."),
    ] = None


@tool("update_ui_component", family="components", effect=Effect.RECORDED)
async def update_ui_component(args: UpdateUiComponent, ctx: ToolContext) -> Versioned:
    """Change a component of yours: only what you give is changed. Every version is kept."""
    if args.props_schema is not None:
        check_schema(args.props_schema, "/props_schema")
    if args.code is not None:
        await require_parses(ctx.code_check, args.code, "component")
    given = storable(args.model_dump(exclude={"name"}, exclude_none=True))

    def change(found: ComponentDefinition) -> ComponentDefinition:
        return msgspec.structs.replace(found, **given)

    return Versioned(name=args.name, version=await ctx.definitions.update(COMPONENT, args.name, change))

"""`read_ui_component`: all of it."""

from typing import Any

from agent_contracts.definitions import COMPONENT
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Listed, Named
from tool_runner.tool import tool


class UiComponent(Listed):
    """The component."""

    code: str
    props_schema: dict[str, Any] | None


@tool("read_ui_component", family="components", effect=Effect.PURE)
async def read_ui_component(args: Named, ctx: ToolContext) -> UiComponent:
    """Read a component of yours whole, code and props schema included."""
    found = await ctx.definitions.read(COMPONENT, args.name)
    return UiComponent(
        name=found.name,
        description=found.value.description,
        version=found.version,
        code=found.value.code,
        props_schema=found.value.props_schema,
    )

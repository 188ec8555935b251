"""`read_ui_component`: all of it."""

from typing import Any

from agent_contracts.kinds.component import COMPONENT
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, tool
from tool_runner.definitions.arguments import Listed, Named
from tool_runner.definitions.operations import read


class UiComponent(Listed):
    """The component."""

    code: str
    props_schema: dict[str, Any] | None


@tool("read_ui_component", family="components", effect=PURE)
async def read_ui_component(args: Named, definitions: AgentDefinitions) -> UiComponent:
    """Read a component of yours whole, code and props schema included."""
    return await read(COMPONENT, args, UiComponent, definitions)

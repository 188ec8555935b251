"""`update_ui_component`: the agent changes a component."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.kinds.component import COMPONENT
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import Code, Description, Name, Versioned
from tool_runner.definitions.checks import check_schema
from tool_runner.definitions.operations import given, update


class UpdateUiComponent(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    code: Code | None = None
    props_schema: Annotated[
        dict[str, Any] | None,
        Field(description="JSON Schema (2020-12) of the props it expects, without references."),
    ] = None


@tool("update_ui_component", family="components", effect=RECORDED)
async def update_ui_component(
    args: UpdateUiComponent, code_check: CodeCheck, definitions: AgentDefinitions
) -> Versioned:
    """Change a component of yours: only what you give is changed. Every version is kept."""
    if args.props_schema is not None:
        check_schema(args.props_schema, "/props_schema")
    if args.code is not None:
        await require_parses(code_check, args.code, "component")
    return await update(COMPONENT, args.name, given(args), definitions)

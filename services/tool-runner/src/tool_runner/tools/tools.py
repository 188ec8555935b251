# Without a docstring: models are told no more of this family than its name.

from agent_contracts.kinds.tool import TOOL
from agent_contracts.tool_spec import LastingEffect
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, RECORDED, Result, tool
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples
from tool_runner.definitions.arguments import (
    DefinitionDeletion,
    DefinitionRef,
    DefinitionSwitch,
    DefinitionVersion,
    ListedSwitchable,
    WithDisabled,
)
from tool_runner.definitions.built_in import BuiltIn
from tool_runner.definitions.callables import (
    Callable,
    CreateCallable,
    UpdateCallable,
    create_callable,
    update_callable,
)
from tool_runner.definitions.operations import delete, listed, read, switch


@tool("create_tool", family="tools", effect=RECORDED, always_sent=True)
async def create_tool(
    args: CreateCallable,
    definitions: AgentDefinitions,
    built_in: BuiltIn,
    check: CodeCheck,
    examples: Examples,
) -> DefinitionVersion:
    """Make a tool of your own for all your sessions, from your next step on."""
    return await create_callable(TOOL, args, definitions, built_in, check, examples)


@tool("delete_tool", family="tools", effect=RECORDED, lasting=LastingEffect.CALL)
async def delete_tool(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionDeletion:
    """Delete a tool of yours. Gives {"deleted": false} if there is none; that is not an error."""
    return await delete(TOOL, args, definitions)


@tool("disable_tool", family="tools", effect=RECORDED, lasting=LastingEffect.CALL)
async def disable_tool(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionSwitch:
    """Offer a tool of yours no longer, without deleting it."""
    return await switch(TOOL, args, False, definitions)


@tool("enable_tool", family="tools", effect=RECORDED, lasting=LastingEffect.CALL)
async def enable_tool(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionSwitch:
    """Offer a disabled tool of yours again, from your next step on."""
    return await switch(TOOL, args, True, definitions)


class Tools(Result):
    """By name."""

    tools: list[ListedSwitchable]


@tool("list_tools", family="tools", effect=PURE)
async def list_tools(args: WithDisabled, definitions: AgentDefinitions) -> Tools:
    """List your own tools; those that are disabled only if you ask for them."""
    return Tools(tools=await listed(TOOL, ListedSwitchable, definitions, disabled=args.include_disabled))


@tool("read_tool", family="tools", effect=PURE)
async def read_tool(args: DefinitionRef, definitions: AgentDefinitions) -> Callable:
    """Read a tool of yours whole, code and schema included."""
    return await read(TOOL, args, Callable, definitions)


@tool("update_tool", family="tools", effect=RECORDED)
async def update_tool(
    args: UpdateCallable, definitions: AgentDefinitions, check: CodeCheck, examples: Examples
) -> DefinitionVersion:
    """Change a tool of yours: only what you give is changed. Every version is kept.

    Schema and code are checked and its examples run first; if any is wrong, the tool stays as it is.
    """
    return await update_callable(TOOL, args, definitions, check, examples)

"""for pages"""

from agent_contracts.kinds.function import FUNCTION
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


@tool("create_function", family="functions", effect=RECORDED)
async def create_function(
    args: CreateCallable,
    definitions: AgentDefinitions,
    built_in: BuiltIn,
    check: CodeCheck,
    examples: Examples,
) -> DefinitionVersion:
    """Make a function: code that your pages call, and your tools by `functions.call(name, args)`.

    It is written like a tool, but you can't call it yourself. Schema and code are checked first; nothing is
    stored if either is wrong."""
    return await create_callable(FUNCTION, args, definitions, built_in, check, examples)


@tool("delete_function", family="functions", effect=RECORDED, lasting=LastingEffect.CALL)
async def delete_function(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionDeletion:
    """Delete a function of yours. Gives {"deleted": false} if there is none; that is not an error."""
    return await delete(FUNCTION, args, definitions)


@tool("disable_function", family="functions", effect=RECORDED, lasting=LastingEffect.CALL)
async def disable_function(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionSwitch:
    """Let a function of yours be called no longer, without deleting it."""
    return await switch(FUNCTION, args, False, definitions)


@tool("enable_function", family="functions", effect=RECORDED, lasting=LastingEffect.CALL)
async def enable_function(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionSwitch:
    """Let a disabled function of yours be called again."""
    return await switch(FUNCTION, args, True, definitions)


class FunctionList(Result):
    """By name."""

    functions: list[ListedSwitchable]


@tool("list_functions", family="functions", effect=PURE)
async def list_functions(args: WithDisabled, definitions: AgentDefinitions) -> FunctionList:
    """List your functions; those that are disabled only if you ask for them."""
    return FunctionList(
        functions=await listed(FUNCTION, ListedSwitchable, definitions, disabled=args.include_disabled)
    )


@tool("read_function", family="functions", effect=PURE)
async def read_function(args: DefinitionRef, definitions: AgentDefinitions) -> Callable:
    """Read a function of yours whole, code and schema included."""
    return await read(FUNCTION, args, Callable, definitions)


@tool("update_function", family="functions", effect=RECORDED)
async def update_function(
    args: UpdateCallable, definitions: AgentDefinitions, check: CodeCheck, examples: Examples
) -> DefinitionVersion:
    """Change a function of yours: only what you give is changed. Every version is kept.

    Schema and code are checked and its examples run first; if any is wrong, the function stays as it is.
    """
    return await update_callable(FUNCTION, args, definitions, check, examples)

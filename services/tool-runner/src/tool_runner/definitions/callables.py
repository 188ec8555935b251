"""Tools and functions: code that is called with arguments of a schema. They differ in who calls them."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.definitions import DefinitionKind, ToolDefinition
from agent_platform.log.storable_text import storable
from agent_tools.ports import AgentDefinitions
from agent_tools.tool import Arguments
from tool_runner.code.check import CodeCheck
from tool_runner.definitions import operations
from tool_runner.definitions.arguments import (
    Code,
    CodeName,
    Description,
    ListedSwitchable,
    Name,
    Versioned,
)
from tool_runner.definitions.built_in import BuiltIn
from tool_runner.definitions.checks import check_code_and_schema, check_new_name


class CreateCallable(Arguments):
    """All of it."""

    name: CodeName
    description: Annotated[Description, Field(description="By this it is chosen.")]
    parameter_schema: Annotated[
        dict[str, Any],
        Field(description="JSON Schema of `args`: type object, no references."),
    ]
    code: Annotated[Code, Field(description="The body of an async JavaScript function of `args`.")]


class UpdateCallable(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    parameter_schema: Annotated[
        dict[str, Any] | None, Field(description="JSON Schema (2020-12) of type object, without references.")
    ] = None
    code: Code | None = None


class Callable(ListedSwitchable):
    """All of it."""

    parameter_schema: dict[str, Any]
    code: str


async def create_callable(
    kind: DefinitionKind[ToolDefinition],
    args: CreateCallable,
    definitions: AgentDefinitions,
    built_in: BuiltIn,
    check: CodeCheck,
) -> Versioned:
    """Store a new one under a name that no built-in tool has. `Rejected` if schema or code can't be used."""
    await check_new_name(built_in, kind, args.name)
    await check_code_and_schema(kind, check, args.code, args.parameter_schema)
    made = ToolDefinition(storable(args.description), storable(args.parameter_schema), storable(args.code))
    return await operations.create(kind, args.name, made, definitions)


async def update_callable(
    kind: DefinitionKind[ToolDefinition],
    args: UpdateCallable,
    definitions: AgentDefinitions,
    check: CodeCheck,
) -> Versioned:
    """Change what is given. `Rejected` if schema or code can't be used."""
    await check_code_and_schema(kind, check, args.code, args.parameter_schema)
    return await operations.update(kind, args.name, operations.given(args), definitions)

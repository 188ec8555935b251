"""Tools and functions: code that is called with arguments of a schema. They differ in who calls them."""

from typing import Annotated, Any

import msgspec
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition
from agent_contracts.errors import Transient
from agent_contracts.kinds.kind import ThingKind
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import Arguments
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples, examples_from
from tool_runner.definitions import operations
from tool_runner.definitions.arguments import (
    Code,
    CodeName,
    DefinitionVersion,
    Description,
    ListedSwitchable,
    Name,
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
    examples: SkipJsonSchema[list[dict[str, Any]] | None] = None
    """As in `UpdateCallable`, whose schema tells of them: that of `create_tool` is in every request."""


class UpdateCallable(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    parameter_schema: Annotated[
        dict[str, Any] | None, Field(description="JSON Schema (2020-12) of type object, without references.")
    ] = None
    code: Code | None = None
    examples: Annotated[
        list[dict[str, Any]] | None,
        Field(
            description="All of them: each {arguments, result}, or {arguments, holds: a JavaScript "
            "expression on `result`}. They must hold now and after each later update, and can neither "
            "send nor write."
        ),
    ] = None


class Callable(ListedSwitchable):
    """All of it."""

    parameter_schema: dict[str, Any]
    code: str
    examples: Annotated[list[dict[str, Any]], Field(default_factory=list, exclude_if=lambda them: not them)]


async def create_callable(  # noqa: PLR0913 — all that it is checked against
    kind: ThingKind[ToolDefinition],
    args: CreateCallable,
    definitions: AgentDefinitions,
    built_in: BuiltIn,
    check: CodeCheck,
    examples: Examples,
) -> DefinitionVersion:
    """Store a new one under a name that no built-in tool has. `Rejected` if schema or code can't be used, or
    an example doesn't hold."""
    await check_new_name(built_in, kind, args.name)
    await check_code_and_schema(kind, check, args.code, args.parameter_schema)
    made = ToolDefinition(storable(args.description), storable(args.parameter_schema), storable(args.code))
    if args.examples:
        made = msgspec.structs.replace(made, examples=examples_from(storable(args.examples)))
    await examples.require(NamedDefinition(args.name, made, 1))
    return await operations.create(kind, args.name, made, definitions)


async def update_callable(
    kind: ThingKind[ToolDefinition],
    args: UpdateCallable,
    definitions: AgentDefinitions,
    check: CodeCheck,
    examples: Examples,
) -> DefinitionVersion:
    """Change what is given. `Rejected` if schema or code can't be used, or an example doesn't hold then."""
    await check_code_and_schema(kind, check, args.code, args.parameter_schema)
    change = operations.given(args)
    if args.examples is not None:
        change["examples"] = examples_from(change["examples"]) or msgspec.UNSET
    if not change.keys() & {"code", "parameter_schema", "examples"}:
        return await operations.update(kind, args.name, change, definitions)
    tried = await definitions.read(kind, args.name)
    made = msgspec.structs.replace(tried.value, **change)
    if made != tried.value:
        await examples.require(msgspec.structs.replace(tried, value=made))

    def changed(found: ToolDefinition) -> ToolDefinition:
        if found not in (tried.value, made):
            raise Transient(f"the {kind.noun} was changed meanwhile", retry_after=0.1)
        return made

    return DefinitionVersion(name=args.name, version=await definitions.update(kind, args.name, changed))

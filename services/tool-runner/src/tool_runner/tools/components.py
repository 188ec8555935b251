"""pages"""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.entities.definitions import COMPONENT_NAME, ComponentDefinition
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.tool_spec import LastingEffect
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import (
    Code,
    DefinitionDeletion,
    DefinitionRef,
    DefinitionVersion,
    Description,
    ListedDefinition,
    Name,
    NoArguments,
)
from tool_runner.definitions.checks import check_schema
from tool_runner.definitions.operations import create, delete, given, listed, read, update


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


@tool("create_ui_component", family="components", effect=RECORDED)
async def create_ui_component(
    args: CreateUiComponent, code_check: CodeCheck, definitions: AgentDefinitions
) -> DefinitionVersion:
    """Store a React component: the user sees it as a page of its own, a tab beside the chat.

    The code is JSX or TSX and exports the component as its default. It imports nothing; there by name are
    React and its hooks; Card, Table, Button, Alert, Badge, Tabs, Form, TextInput, Select, DatePicker, Toggle,
    Spinner, CodeBlock, Chart, Markdown, Stack, Grid, Icon, Modal; `useAgentState(key, initial)`, which gives
    [value, setValue] of your state and follows it live; `callBackend(name, args)`, which calls one of your
    functions; `importModule("name")`, which gives what one of your libraries exports; `sendMessage(text)`,
    which says something to you as the user, after they did something; and `callTool(action, payload)`, which
    answers your `render_and_wait`. It reaches no network. Code that doesn't parse is refused."""
    if args.props_schema is not None:
        check_schema(args.props_schema, "/props_schema")
    await require_parses(code_check, args.code, "component")
    made = ComponentDefinition(storable(args.description), storable(args.code), storable(args.props_schema))
    return await create(COMPONENT, args.name, made, definitions)


@tool("delete_ui_component", family="components", effect=RECORDED, lasting=LastingEffect.CALL)
async def delete_ui_component(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionDeletion:
    """Delete a page or component of yours.

    Gives {"deleted": false} if there is none; that is not an error.
    """
    return await delete(COMPONENT, args, definitions)


class UiComponents(Result):
    """By name."""

    components: list[ListedDefinition]


@tool("list_ui_components", family="components", effect=PURE)
async def list_ui_components(args: NoArguments, definitions: AgentDefinitions) -> UiComponents:
    """List your pages and components."""
    return UiComponents(components=await listed(COMPONENT, ListedDefinition, definitions))


class UiComponent(ListedDefinition):
    """The component."""

    code: str
    props_schema: dict[str, Any] | None


@tool("read_ui_component", family="components", effect=PURE)
async def read_ui_component(args: DefinitionRef, definitions: AgentDefinitions) -> UiComponent:
    """Read a component of yours whole, code and props schema included."""
    return await read(COMPONENT, args, UiComponent, definitions)


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
) -> DefinitionVersion:
    """Change a component of yours: only what you give is changed. Every version is kept."""
    if args.props_schema is not None:
        check_schema(args.props_schema, "/props_schema")
    if args.code is not None:
        await require_parses(code_check, args.code, "component")
    return await update(COMPONENT, args.name, given(args), definitions)

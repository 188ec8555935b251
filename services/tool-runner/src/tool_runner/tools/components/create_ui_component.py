"""`create_ui_component`: the agent makes a page or a part of one."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.definitions import COMPONENT, COMPONENT_NAME, ComponentDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from tool_runner.code_check import require_parses
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
    """Store a React component: the user sees it as a page of its own, a tab beside the chat.

    The code is JSX or TSX and exports the component as its default. It imports nothing; there by name are
    React and its hooks; Card, Table, Button, Alert, Badge, Tabs, Form, TextInput, Select, DatePicker, Toggle,
    Spinner, CodeBlock, Chart, Markdown, Stack, Grid, Icon, Modal; `useAgentState(key, initial)`, which gives
    [value, setValue] of your state and follows it live; `callBackend(name, args)`, which calls one of your
    functions; and `sendMessage(text)`, which says something to you as the user, after they did something. It
    reaches no network. Code that doesn't parse is refused."""
    if args.props_schema is not None:
        check_schema(args.props_schema, "/props_schema")
    await require_parses(ctx.code_check, args.code, "component")
    made = ComponentDefinition(storable(args.description), storable(args.code), storable(args.props_schema))
    return Versioned(name=args.name, version=await ctx.definitions.create(COMPONENT, args.name, made))

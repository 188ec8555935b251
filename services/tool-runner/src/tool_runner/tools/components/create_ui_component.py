"""`create_ui_component`: the agent makes a page or a part of one."""

from typing import Annotated, Any

from pydantic import Field

from agent_contracts.entities.definitions import COMPONENT_NAME, ComponentDefinition
from agent_contracts.kinds.component import COMPONENT
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import Code, Description, Versioned
from tool_runner.definitions.checks import check_schema
from tool_runner.definitions.operations import create


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
) -> Versioned:
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

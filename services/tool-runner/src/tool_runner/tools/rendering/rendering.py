"""Tools that show the user something."""

from typing import Annotated, Any, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.sessions.rendering import RENDER_AND_WAIT, RENDER_BLOCKS
from agent_tools.json_schemas import JsonSchema
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Arguments, Pause, Result, tool
from tool_runner.code.check import CodeCheck
from tool_runner.definitions.arguments import Code
from tool_runner.tools.rendering.blocks.checks import check_size, shown_blocks
from tool_runner.tools.rendering.blocks.problems import wrong
from tool_runner.tools.rendering.blocks.shapes import MOST_BLOCKS, Block


class RenderAndWait(Arguments):
    """Which component, and its props."""

    component: Annotated[
        str | None, Field(min_length=1, max_length=200, description="The name of a component of yours.")
    ] = None
    code: Annotated[
        Code | None, Field(description="Or one for this once, written as for create_ui_component.")
    ] = None
    props: Annotated[dict[str, Any], Field(description="Its props.")] = Field(default={})
    title: Annotated[str | None, Field(max_length=200, description="Shown above it.")] = None


@tool(RENDER_AND_WAIT, family="rendering", effect=PURE, pauses=True)
async def render_and_wait(args: RenderAndWait, code_check: CodeCheck, definitions: AgentDefinitions) -> Pause:
    """Show the user a React component, stored or written here, and wait until it answers.

    It answers by `callTool(action, payload)`, which gives {"action": action, ...payload}; the user may also
    dismiss it, which gives {"action": "dismiss"}. A stored one is shown as it is now, whatever you change
    later. Props must fit its props_schema."""
    if (args.component is None) == (args.code is None):
        raise wrong("/component", "give either the name of a component, or code")
    if args.code is None:
        shown = await _stored(str(args.component), args.props, definitions)
    else:
        shown = await _inline(args.code, code_check)
    show = {"kind": RENDER_AND_WAIT, "title": args.title, **shown, "props": args.props}
    return Pause(show=check_size(show, "/props" if args.code is None else "/code"))


async def _stored(name: str, props: dict[str, Json], definitions: AgentDefinitions) -> dict[str, Json]:
    """The component as of the event that wrote it, so that it is drawn the same for ever."""
    try:
        found = await definitions.read(COMPONENT, name)
    except Rejected as refused:
        if refused.kind != ErrorKind.NOT_FOUND:
            raise
        raise Rejected(refused.message, kind=ErrorKind.NOT_FOUND, path="/component") from refused
    if found.value.props_schema is not None:
        problems = JsonSchema.of(found.value.props_schema, "/props_schema").problems(props, 1)
        for path, why in problems:
            raise wrong(f"/props{path}", f"the props don't fit the component's props_schema: {why}")
    return {"component": found.name, "version": found.version, "at": found.sequence}


async def _inline(code: str, code_check: CodeCheck) -> dict[str, Json]:
    found = await code_check.problem(code, "component")
    if found is not None:
        raise Rejected(
            f"nothing was shown: the code doesn't parse: {found.message} "
            f"(line {found.line}, column {found.column})",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/code",
            details={"line": found.line, "column": found.column},
        )
    return {"code": code}


class RenderBlocks(Arguments):
    """What to show."""

    blocks: Annotated[
        list[Block], Field(min_length=1, max_length=MOST_BLOCKS, description="From top to bottom.")
    ]
    title: Annotated[str | None, Field(max_length=200, description="Shown above them.")] = None


@tool(RENDER_BLOCKS, family="rendering", effect=PURE, pauses=True)
async def render_blocks(args: RenderBlocks, files: AgentFiles) -> Pause:
    """Show the user text, tables, charts, code, pictures, alerts, JSON or a form, and wait for them.

    Gives {"action": "submit", "data": {name: value}} for a form that they filled in, else
    {"action": "dismiss"}. At most one form, 50 blocks, 5,000 rows, 10,000 points and 256 KiB. To only say
    something, write it in your answer instead: Markdown with tables is shown there too."""
    show = {"kind": RENDER_BLOCKS, "title": args.title, **await shown_blocks(args.blocks, files)}
    return Pause(show=check_size(show, "/blocks"))


class SendMessage(Arguments):
    """What to say."""

    text: Annotated[str, Field(min_length=1, description="Markdown.")]


class RenderResult(Result):
    """The message stands in the chat: this call's arguments are what is shown."""

    ok: Literal[True] = True


@tool("send_message", family="rendering", effect=PURE, always_sent=True)
async def send_message(args: SendMessage) -> RenderResult:
    """Tell the user something and carry on. Your final answer needs no tool."""
    return RenderResult()

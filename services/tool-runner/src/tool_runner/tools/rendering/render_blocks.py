"""`render_blocks`: ready-made blocks, a form among them, that the session waits on."""

from typing import Annotated

from pydantic import Field

from agent_contracts.sessions.rendering import RENDER_BLOCKS
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Arguments, Pause, tool
from tool_runner.tools.rendering.blocks.checks import check_size, shown_blocks
from tool_runner.tools.rendering.blocks.shapes import MOST_BLOCKS, Block


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

"""`read_library`: all of it."""

from agent_contracts.definitions import LIBRARY
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Listed, Named
from tool_runner.tool import tool


class Library(Listed):
    """The library."""

    code: str


@tool("read_library", family="libraries", effect=Effect.PURE)
async def read_library(args: Named, ctx: ToolContext) -> Library:
    """Read a library of yours whole."""
    found = await ctx.definitions.read(LIBRARY, args.name)
    return Library(
        name=found.name, description=found.value.description, version=found.version, code=found.value.code
    )

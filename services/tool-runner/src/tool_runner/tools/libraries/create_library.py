"""`create_library`: code that other code requires."""

from typing import Annotated

from pydantic import Field

from agent_contracts.definitions import LIBRARY, LibraryDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from tool_runner.code_check import require_parses
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Code, CodeName, Description, Versioned
from tool_runner.tool import Arguments, tool


class CreateLibrary(Arguments):
    """The library."""

    name: CodeName
    description: Annotated[Description, Field(description="What it provides.")]
    code: Annotated[Code, Field(description="A CommonJS module; may `require` your other libraries.")]


@tool("create_library", family="libraries", effect=Effect.RECORDED)
async def create_library(args: CreateLibrary, ctx: ToolContext) -> Versioned:
    """Make a library: code that your tools, functions and other libraries share by `require(name)`.

    The code is checked first; nothing is stored if it doesn't parse.
    """
    await require_parses(ctx.code_check, args.code, "module")
    made = LibraryDefinition(storable(args.description), storable(args.code))
    return Versioned(name=args.name, version=await ctx.definitions.create(LIBRARY, args.name, made))

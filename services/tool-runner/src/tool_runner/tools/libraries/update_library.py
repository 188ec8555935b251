"""`update_library`: the agent changes a library."""

import msgspec

from agent_contracts.definitions import LIBRARY, LibraryDefinition
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from tool_runner.code_check import require_parses
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Code, Description, Name, Versioned
from tool_runner.tool import Arguments, tool


class UpdateLibrary(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    code: Code | None = None


@tool("update_library", family="libraries", effect=Effect.RECORDED)
async def update_library(args: UpdateLibrary, ctx: ToolContext) -> Versioned:
    """Change a library of yours: only what you give is changed. Every version is kept.

    The code is checked first; if it doesn't parse, the library stays as it is.
    """
    if args.code is not None:
        await require_parses(ctx.code_check, args.code, "module")
    given = storable(args.model_dump(exclude={"name"}, exclude_none=True))

    def change(found: LibraryDefinition) -> LibraryDefinition:
        return msgspec.structs.replace(found, **given)

    return Versioned(name=args.name, version=await ctx.definitions.update(LIBRARY, args.name, change))

"""`update_library`: the agent changes a library."""

from agent_contracts.kinds.library import LIBRARY
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import Code, Description, Name, Versioned
from tool_runner.definitions.operations import given, update


class UpdateLibrary(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    code: Code | None = None


@tool("update_library", family="libraries", effect=RECORDED)
async def update_library(
    args: UpdateLibrary, code_check: CodeCheck, definitions: AgentDefinitions
) -> Versioned:
    """Change a library of yours: only what you give is changed. Every version is kept.

    The code is checked first; if it doesn't parse, the library stays as it is.
    """
    if args.code is not None:
        await require_parses(code_check, args.code, "module")
    return await update(LIBRARY, args.name, given(args), definitions)

"""`read_library`: all of it."""

from agent_contracts.kinds.library import LIBRARY
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, tool
from tool_runner.definitions.arguments import Listed, Named
from tool_runner.definitions.operations import read


class Library(Listed):
    """The library."""

    code: str


@tool("read_library", family="libraries", effect=PURE)
async def read_library(args: Named, definitions: AgentDefinitions) -> Library:
    """Read a library of yours whole."""
    return await read(LIBRARY, args, Library, definitions)

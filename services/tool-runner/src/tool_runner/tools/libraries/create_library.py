"""`create_library`: code that other code requires."""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.definitions import LibraryDefinition
from agent_contracts.kinds.library import LIBRARY
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import Code, CodeName, Description, Versioned
from tool_runner.definitions.operations import create


class CreateLibrary(Arguments):
    """The library."""

    name: CodeName
    description: Annotated[Description, Field(description="What it provides.")]
    code: Annotated[Code, Field(description="A CommonJS module; may `require` your other libraries.")]


@tool("create_library", family="libraries", effect=RECORDED)
async def create_library(
    args: CreateLibrary, code_check: CodeCheck, definitions: AgentDefinitions
) -> Versioned:
    """Make a library: code that your tools, functions and other libraries share by `require(name)`.

    The code is checked first; nothing is stored if it doesn't parse.
    """
    await require_parses(code_check, args.code, "module")
    made = LibraryDefinition(storable(args.description), storable(args.code))
    return await create(LIBRARY, args.name, made, definitions)

"""for code"""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.definitions import LIBRARY, LibraryDefinition
from agent_contracts.tool_spec import Lasting
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import (
    Code,
    CodeName,
    Deletion,
    Description,
    Listed,
    Name,
    Named,
    Nothing,
    Versioned,
)
from tool_runner.definitions.operations import create, delete, given, listed, read, update


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


@tool("delete_library", family="libraries", effect=RECORDED, lasting=Lasting.CALL)
async def delete_library(args: Named, definitions: AgentDefinitions) -> Deletion:
    """Delete a library of yours. Gives {"deleted": false} if there is none; that is not an error."""
    return await delete(LIBRARY, args, definitions)


class Libraries(Result):
    """By name."""

    libraries: list[Listed]


@tool("list_libraries", family="libraries", effect=PURE)
async def list_libraries(args: Nothing, definitions: AgentDefinitions) -> Libraries:
    """List your libraries."""
    return Libraries(libraries=await listed(LIBRARY, Listed, definitions))


class Library(Listed):
    """The library."""

    code: str


@tool("read_library", family="libraries", effect=PURE)
async def read_library(args: Named, definitions: AgentDefinitions) -> Library:
    """Read a library of yours whole."""
    return await read(LIBRARY, args, Library, definitions)


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

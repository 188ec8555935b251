"""for code"""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.definitions import LibraryDefinition
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.tool_spec import LastingEffect
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.code.check import CodeCheck, require_parses
from tool_runner.definitions.arguments import (
    Code,
    CodeName,
    DefinitionDeletion,
    DefinitionRef,
    DefinitionVersion,
    Description,
    ListedDefinition,
    Name,
    NoArguments,
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
) -> DefinitionVersion:
    """Make a library: code that your tools, functions and other libraries share by `require(name)`.

    The code is checked first; nothing is stored if it doesn't parse.
    """
    await require_parses(code_check, args.code, "module")
    made = LibraryDefinition(storable(args.description), storable(args.code))
    return await create(LIBRARY, args.name, made, definitions)


@tool("delete_library", family="libraries", effect=RECORDED, lasting=LastingEffect.CALL)
async def delete_library(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionDeletion:
    """Delete a library of yours. Gives {"deleted": false} if there is none; that is not an error."""
    return await delete(LIBRARY, args, definitions)


class LibraryList(Result):
    """By name."""

    libraries: list[ListedDefinition]


@tool("list_libraries", family="libraries", effect=PURE)
async def list_libraries(args: NoArguments, definitions: AgentDefinitions) -> LibraryList:
    """List your libraries."""
    return LibraryList(libraries=await listed(LIBRARY, ListedDefinition, definitions))


class LibraryCode(ListedDefinition):
    """The library."""

    code: str


@tool("read_library", family="libraries", effect=PURE)
async def read_library(args: DefinitionRef, definitions: AgentDefinitions) -> LibraryCode:
    """Read a library of yours whole."""
    return await read(LIBRARY, args, LibraryCode, definitions)


class UpdateLibrary(Arguments):
    """What changes."""

    name: Name
    description: Description | None = None
    code: Code | None = None


@tool("update_library", family="libraries", effect=RECORDED)
async def update_library(
    args: UpdateLibrary, code_check: CodeCheck, definitions: AgentDefinitions
) -> DefinitionVersion:
    """Change a library of yours: only what you give is changed. Every version is kept.

    The code is checked first; if it doesn't parse, the library stays as it is.
    """
    if args.code is not None:
        await require_parses(code_check, args.code, "module")
    return await update(LIBRARY, args.name, given(args), definitions)

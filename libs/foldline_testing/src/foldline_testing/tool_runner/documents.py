"""Calls of the tools for documents, over files of a session's workspace."""

import itertools
from typing import Any

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import File, FileContent, FileRef, Workspace
from agent_domain.files.files import NewFile
from agent_platform.entities.entity import EntityWriter
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import World

HERE = Workspace(AGENT, SESSION)
_numbers = itertools.count(1)


async def put(world: World, path: str, data: bytes) -> File:
    """Make a file, as the user does."""
    writer = EntityWriter.user(f"u{next(_numbers)}")
    return await world.files.create(HERE, NewFile(path, FileContent(data, source="upload")), writer)


async def got(world: World, path: str) -> bytes:
    """What the newest version of a file holds."""
    return await world.files.read(await world.files.find(HERE, FileRef(path=path)))


async def ended(world: World, tool: str, **arguments: Json) -> Any:
    """How a call ends."""
    return await world.run(tool, arguments, call_id=f"c{next(_numbers)}", effect=Effect.RECORDED)


async def done(world: World, tool: str, **arguments: Json) -> Any:
    """The result of a call that must end well."""
    over = await ended(world, tool, **arguments)
    assert not hasattr(over, "error"), over.error
    return over.result

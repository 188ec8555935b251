"""The files of an agent as calls of its sessions and pages see them, and as two attempts write them."""

import asyncio

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.files import FileScope
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import Created
from agent_domain.files.file import FileContent, FileRef
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.event_message import event_message
from agent_tools.context import CallContext, CallSources
from agent_tools.running.call_writers import CallWriters
from agent_tools.running.stored_files import StoredFiles
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.tool_runner.world import World

A = FileRef(path="a.txt")


class Calls:
    """Calls of any session, and of pages."""

    def __init__(self) -> None:
        self.world = World()
        self.files = Files(self.world.entities, self.world.blobs)
        self.workspaces = Workspaces(self.world.log)

    async def created(self, session: str, parent: str | None = None) -> None:
        key = SessionKey(AGENT, SessionId(session))
        event = Created(AGENT, 1, parent_id=SessionId(parent) if parent else None)
        message, _ = event_message(event, key.input(type_of(event)), origin_of(event), self.world.clock)
        await self.world.log.append(message)

    def of(self, session: str | None, call: str = "c1") -> StoredFiles:
        call_id = CallId(call)

        def writer(n: int) -> EntityWriter:
            return EntityWriter.call(SessionId(session or "page"), call_id, n, since=0)

        context = CallContext(
            agent_id=AGENT,
            session=SessionId(session) if session else None,
            call_id=call_id,
            sequence=0,
            attempt=1,
            writers=CallWriters(writer, CallSources()),
            cancelled=asyncio.Event(),
            log=None,
        )
        return StoredFiles(self.files, self.workspaces, context)


async def test_a_sub_session_works_in_the_workspace_of_the_session_at_the_top() -> None:
    calls = Calls()
    await calls.created("top")
    await calls.created("child", "top")
    await calls.created("grandchild", "child")
    await calls.created("other")
    made = await calls.of("grandchild").create("a.txt", FileContent(b"x"))
    assert made.session_id == "top"
    for session in ("top", "child"):
        assert await calls.of(session).find(A) == made
    for stranger in ("other", None):
        with pytest.raises(Rejected, match="There is no file"):
            await calls.of(stranger).find(A)


async def test_a_page_sees_and_makes_the_agents_files() -> None:
    calls = Calls()
    made = await calls.of(None).create("a.txt", FileContent(b"x"))
    assert made.scope is FileScope.AGENT
    assert await calls.of("s1").find(A) == made


async def test_a_call_that_makes_what_it_does_not_find_does_so_once() -> None:
    """Its first attempt may find nothing, and its second what the first one made."""
    calls = Calls()

    async def append(files: StoredFiles) -> int:
        try:
            return (await files.create("a.txt", FileContent(b"line\n"))).version
        except Rejected:
            return (await files.edit(A, lambda _, data: appended(data))).version

    assert [await append(calls.of("s1", "c1")) for _ in range(2)] == [1, 1]
    assert [await append(calls.of("s1", "c2")) for _ in range(2)] == [2, 2]
    files = calls.of("s1")
    assert await files.read(await files.find(A)) == b"line\nline\n"


async def appended(data: bytes) -> FileContent:
    return FileContent(data + b"line\n")

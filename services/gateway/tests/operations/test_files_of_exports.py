"""An exported session has its files with it: elsewhere they are what they were, under their old ids."""

import io
from collections.abc import Mapping

import pytest

from agent_contracts import session_file
from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.blob_ref import sha256_of
from agent_contracts.ids import SessionId
from agent_contracts.queries import IMPORT
from agent_domain.files.file import Content, FileRef, Workspace
from agent_domain.files.files import Files, New
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Writer
from agent_platform.process.clock import SystemClock
from gateway.operations.asked import asked
from gateway.operations.sessions.creation import NewSession
from gateway.operations.sessions.exports import fitting
from gateway.operations.sessions.imports import Ids, Imported
from gateway.testing.in_memory import InMemory


class Side:
    """One Foldline, and what its sessions have in their workspaces."""

    def __init__(self, memory: InMemory) -> None:
        self.memory = memory
        self.files = Files(Entities(memory.log, SystemClock(), "/runner"), memory.blobs)
        self._writes = 0

    def writer(self) -> Writer:
        self._writes += 1
        return Writer.user(f"w{self._writes}")

    async def session(self) -> SessionId:
        made = await self.memory.operations.creation.create(NewSession(), asked())
        return SessionId(made.id)

    async def makes(self, session: SessionId, path: str, data: bytes) -> str:
        new = New(path, Content(data))
        return (await self.files.create(Workspace(DEFAULT_AGENT, session), new, self.writer())).file_id

    async def holds(self, session: str) -> Mapping[str, tuple[str, bytes]]:
        """Each path, and the file's hash and bytes; every one is found by its path, too."""
        workspace = Workspace(DEFAULT_AGENT, SessionId(session))
        listed = await self.files.list(workspace)
        for one in listed:
            assert await self.files.find(workspace, FileRef(path=one.path)) == one
        return {one.path: (one.blob, await self.files.read(one)) for one in listed}

    async def exported(self, session: SessionId) -> bytes:
        return await self.memory.operations.exports.file(session)

    async def imports(self, data: bytes, ids: Ids = "keep") -> Imported:
        self.memory.engine.answers[IMPORT] = {"found": 0, "appended": 1, "total": 1}
        return await self.memory.operations.imports.take(io.BytesIO(data), ids, None)


@pytest.fixture
async def here() -> Side:
    return Side(InMemory())


@pytest.fixture
async def there() -> Side:
    side = Side(InMemory())
    await side.session()  # makes the agent
    return side


async def test_elsewhere_a_session_has_the_same_files_under_the_same_ids(here: Side, there: Side) -> None:
    session = await here.session()
    kept = await here.makes(session, "kept.bin", b"\x00\xff" * 5000)
    changed = await here.makes(session, "a/b.txt", b"old")
    workspace = Workspace(DEFAULT_AGENT, session)
    await here.files.write(workspace, FileRef(file_id=changed), Content(b"new"), here.writer())
    data = await here.exported(session)
    for _ in range(2):  # the second time after it was cut off: everything is there once
        imported = await there.imports(data)
        assert imported.left_out == []
        assert await there.holds(imported.id) == await here.holds(session)
    ids = [(await there.files.find(workspace, FileRef(file_id=one))).file_id for one in (kept, changed)]
    assert ids == [kept, changed]


async def test_beside_itself_a_session_has_copies_that_are_found_by_the_old_ids(here: Side) -> None:
    session = await here.session()
    kept = await here.makes(session, "kept.txt", b"kept")
    before = await here.holds(session)
    imported = await here.imports(await here.exported(session), "new")
    assert await here.holds(imported.id) == before
    workspace = Workspace(DEFAULT_AGENT, SessionId(imported.id))
    copied = await here.files.find(workspace, FileRef(file_id=kept))
    assert (copied.file_id == kept, copied.forked_from) == (False, kept)
    await here.files.write(workspace, FileRef(path="kept.txt"), Content(b"other"), here.writer())
    assert await here.holds(session) == before


async def test_a_session_that_is_there_gets_no_files(here: Side) -> None:
    session = await here.session()
    file_id = await here.makes(session, "kept.txt", b"kept")
    data = await here.exported(session)
    await here.files.delete(Workspace(DEFAULT_AGENT, session), FileRef(file_id=file_id), here.writer())
    await here.imports(data)
    assert await here.holds(session) == {}


async def test_what_was_sent_with_a_message_is_in_the_export_as_it_was(here: Side, there: Side) -> None:
    session = await here.session()
    file_id = await here.makes(session, "plan.txt", b"as it was")
    await here.memory.operations.steering.say(session, "look", asked(), (file_id,))
    workspace = Workspace(DEFAULT_AGENT, session)
    await here.files.write(workspace, FileRef(file_id=file_id), Content(b"as it is"), here.writer())
    await there.imports(await here.exported(session))
    assert await there.memory.blobs.get(sha256_of(b"as it was")) == b"as it was"


async def test_files_that_do_not_fit_are_left_out_and_named(
    here: Side, there: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.operations.sessions.exports._LARGEST_FILES", 100)
    session = await here.session()
    await here.makes(session, "large.bin", b"x" * 101)
    await here.makes(session, "small.txt", b"small")
    imported = await there.imports(await here.exported(session))
    assert imported.left_out == ["large.bin"]
    assert list(await there.holds(imported.id)) == ["small.txt"]


def test_the_largest_blobs_are_left_out_first() -> None:
    assert fitting({"a": 5, "b": 1, "c": 4}, 6) == ["b", "c"]
    assert session_file.LARGEST_FILES * 4 / 3 < 64 * 1024 * 1024

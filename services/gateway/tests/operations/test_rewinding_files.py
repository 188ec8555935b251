"""A session's files go back and forth: bytes, paths and deletions, all or none."""

from collections.abc import Sequence

import pytest

from agent_contracts import event_sources
from agent_contracts.api.rewinds import SessionRewindPreview, SessionRewound
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import Actor
from agent_contracts.files import FileScope
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.subjects import entity_filter
from agent_contracts.selection import Selection
from agent_contracts.session_events.decisions import ChildSpawned
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.gateway.in_memory import InMemory, at_rest
from gateway.operations.idempotency import IdempotentRequest, asked
from gateway.operations.rewind.session_rewinds import WantedParts
from gateway.operations.sessions.creation import NewSession

OTHER = SessionId("s_other")


class World:
    """A session with a workspace, and others who write files, too."""

    def __init__(self, memory: InMemory, session: SessionId) -> None:
        self.memory = memory
        self.session = session
        self.entities = Entities(memory.log, SystemClock(), event_sources.RUNNER)
        self.files = Files(self.entities, MemoryBlobs())
        self.workspace = Workspace(DEFAULT_AGENT, session)
        self._writes = 0

    def writer(self, by: SessionId | None = None) -> EntityWriter:
        self._writes += 1
        return EntityWriter(f"w{self._writes}", Actor.AGENT, by or self.session, CallId("c"))

    async def makes(self, path: str, text: str, by: SessionId | None = None, *, shared: bool = False) -> str:
        scope = FileScope.AGENT if shared else None
        new = NewFile(path, FileContent(text.encode()), scope)
        return (await self.files.create(self.workspace, new, self.writer(by))).file_id

    async def writes(self, path: str, text: str, by: SessionId | None = None) -> None:
        await self.files.write(
            self.workspace, FileRef(path=path), FileContent(text.encode()), self.writer(by)
        )

    async def renames(self, path: str, to: str, by: SessionId | None = None) -> None:
        await self.files.rename(self.workspace, FileRef(path=path), to, self.writer(by))

    async def deletes(self, path: str, by: SessionId | None = None) -> None:
        assert await self.files.delete(self.workspace, FileRef(path=path), self.writer(by))

    async def rests(self) -> int:
        """Every event up to now is a point of rest; the last of them."""
        point = await self.memory.log.last_sequence()
        at_rest(self.memory, self.session, point)
        return point

    async def holds(self) -> dict[str, str]:
        """Each path and its bytes: the path's entity leads to the file that says it is there."""
        found = {}
        for listed in await self.files.list(self.workspace):
            by_path = await self.files.find(self.workspace, FileRef(path=listed.path))
            assert by_path == listed
            found[listed.path] = (await self.files.read(listed)).decode()
        assert await self.taken() == sorted(found)
        return found

    async def taken(self) -> list[str]:
        """The paths that are taken."""
        places = await self.entities.list(DEFAULT_AGENT, EntityKind.PATH)
        return sorted(one.key.name.partition("/")[2] for one in places)

    async def preview(self, to: int) -> SessionRewindPreview:
        previews = self.memory.operations.session_previews
        return await previews.preview(self.session, Address(to))

    async def back(
        self, to: int, include: Sequence[str] = (), request: IdempotentRequest | None = None
    ) -> SessionRewound:
        wanted = WantedParts(
            to=Address(to),
            parts=("files",),
            including=(Selection("file", tuple(include)),) if include else (),
        )
        async with self.memory.deciding():
            return await self.memory.operations.session_rewinds.rewind(
                self.session, wanted, request or asked()
            )


@pytest.fixture
async def world(memory: InMemory) -> World:
    session = await memory.operations.creation.create(NewSession(), asked())
    return World(memory, SessionId(session.id))


async def changed(world: World) -> None:
    """Ten files that were made, changed, deleted, renamed, and have changed places."""
    for number in range(3):
        await world.writes(f"changed-{number}.txt", f"new {number}")
    await world.writes("changed-0.txt", "newer")
    await world.deletes("deleted.txt")
    await world.deletes("replaced.txt")
    await world.makes("replaced.txt", "another file")
    await world.renames("here.txt", "there/it/is.txt")
    await world.renames("one.txt", "between.txt")
    await world.renames("two.txt", "one.txt")
    await world.renames("between.txt", "two.txt")
    await world.makes("made.txt", "made")
    await world.makes("gone-again.txt", "x")
    await world.deletes("gone-again.txt")


async def ten_files(world: World) -> None:
    names = ("deleted", "replaced", "here", "one", "two", "untouched", "touched")
    for name in (*names, *(f"changed-{number}" for number in range(3))):
        await world.makes(f"{name}.txt", f"old {name}")


async def test_ten_files_are_what_they_were_and_after_the_undo_what_they_had_become(world: World) -> None:
    await ten_files(world)
    before, point = await world.holds(), await world.rests()
    await changed(world)
    after, undo = await world.holds(), await world.memory.log.last_sequence()
    shown = {one.file_id: one for one in (await world.preview(point)).files}
    assert len(shown) == 10
    assert not any(one.touched_by_others or one.path_taken for one in shown.values())
    done = await world.back(point)
    assert await world.holds() == before
    assert (done.rewound, done.stays) == ({"file": len(shown)}, [])
    assert (await world.preview(point)).files == []
    at_rest(world.memory, world.session, undo)
    await world.back(undo)
    assert await world.holds() == after


async def test_all_of_it_is_one_batch_and_a_repeat_does_nothing_more(world: World) -> None:
    await ten_files(world)
    point = await world.rests()
    await changed(world)
    request = asked("k", "back", world.session)
    first = await world.back(point, request=request)
    moved = world.memory.log.read(entity_filter(DEFAULT_AGENT, EntityKind.FILE), after=first.sequence)
    written = [one.sequence async for one in moved]
    assert len(written) == 10
    assert written[-1] - written[0] < 3 * len(written)  # with the paths, and nothing between
    last = await world.memory.log.last_sequence()
    assert await world.back(point, request=request) == first
    assert await world.memory.log.last_sequence() == last


async def test_what_sub_sessions_changed_goes_back_with_it(world: World) -> None:
    await world.makes("plan.txt", "old")
    point = await world.rests()
    spawned = ChildSpawned(child_id=SessionId("s_child"), call_id=CallId("c"), task="dig", token_limit=1)
    await world.memory.decided(world.session, spawned)
    await world.writes("plan.txt", "new", by=SessionId("s_child"))
    await world.makes("found.txt", "gold", by=SessionId("s_child"))
    assert not any(one.touched_by_others for one in (await world.preview(point)).files)
    await world.back(point)
    assert await world.holds() == {"plan.txt": "old"}


async def test_what_others_changed_too_stays_unless_it_is_named(world: World) -> None:
    ours = await world.makes("ours.txt", "old", shared=True)
    await world.makes("mine.txt", "old")
    point = await world.rests()
    await world.writes("ours.txt", "new")
    await world.writes("mine.txt", "new")
    await world.writes("ours.txt", "theirs", by=OTHER)
    await world.makes("theirs.txt", "kept", by=OTHER, shared=True)
    touched = {one.file_id: one.touched_by_others for one in (await world.preview(point)).files}
    assert touched[ours]
    assert sum(touched.values()) == 1
    done = await world.back(point)
    assert [one.name for one in done.stays] == [ours]
    assert await world.holds() == {"ours.txt": "theirs", "mine.txt": "old", "theirs.txt": "kept"}
    await world.back(point, include=[ours])
    assert (await world.holds())["ours.txt"] == "old"


async def test_a_file_whose_path_is_anothers_now_stays_and_so_does_what_needs_its_place(world: World) -> None:
    one = await world.makes("one.txt", "1", shared=True)
    two = await world.makes("two.txt", "2", shared=True)
    point = await world.rests()
    await world.renames("one.txt", "three.txt")
    await world.renames("two.txt", "one.txt")
    await world.makes("two.txt", "theirs", by=OTHER, shared=True)
    shown = {file.file_id: file.path_taken for file in (await world.preview(point)).files}
    assert shown == {one: True, two: True}
    done = await world.back(point)
    assert {file.name for file in done.stays} == {one, two}
    assert await world.holds() == {"three.txt": "1", "one.txt": "2", "two.txt": "theirs"}


async def test_files_that_share_no_path_go_back_in_batches(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_domain.rewinding.plan._MOST_AT_ONCE", 4)
    await ten_files(world)
    before, point = await world.holds(), await world.rests()
    await changed(world)
    done = await world.back(point)
    assert done.rewound == {"file": 10}
    assert await world.holds() == before


async def test_whoever_writes_meanwhile_is_seen(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.makes("a.txt", "old")
    await world.makes("b.txt", "old")
    point = await world.rests()
    await world.writes("a.txt", "new")
    await world.writes("b.txt", "new")
    together = world.memory.log.append_together
    calls = 0

    async def late(messages: object, expects: object) -> int:
        nonlocal calls
        calls += 1
        if calls == 1:
            monkeypatch.setattr(world.memory.log, "append_together", together)
            await world.writes("b.txt", "theirs", by=OTHER)
        return await together(messages, expects)  # type: ignore[arg-type]

    monkeypatch.setattr(world.memory.log, "append_together", late)
    done = await world.back(point)
    assert await world.holds() == {"a.txt": "old", "b.txt": "theirs"}
    assert len(done.stays) == 1

"""The files of an imported session: what they are, and what they were as of each of its events."""

import itertools
from collections.abc import Mapping, Sequence

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.event import Event
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.cloud_events import to_cloud_event
from agent_contracts.log.record.codec import encode, type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import entity_filter
from agent_contracts.questions.queries import ImportCommand, ImportProgress
from agent_contracts.session_events import inputs
from agent_contracts.sessions import session_file
from agent_contracts.sessions.session_file import (
    FORMAT,
    VERSION,
    FileEvent,
    FileHead,
    SessionFile,
    WorkspaceEvent,
)
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import ChangeSet, EntityKey, EntityWriter, OtherChange, Write
from agent_platform.log.event_message import event_message
from agent_platform.log.events import events
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from session_engine.imports.imports import ImportRunner

AGENT, SESSION, NEW = AgentId("default"), SessionId("s_one"), SessionId("s_new")
WORKSPACE = Workspace(AGENT, SESSION)
Seen = Mapping[str, tuple[str, int]]


class Side:
    """One Foldline."""

    def __init__(self) -> None:
        self.log, self.blobs = MemoryLog(), MemoryBlobs()
        self.entities = Entities(self.log, SystemClock(), event_sources.RUNNER)
        self.files = Files(self.entities, self.blobs)
        self._numbers = itertools.count()

    def writer(self) -> EntityWriter:
        return EntityWriter.user(f"w{next(self._numbers)}")

    async def happens(self, event: Event, session: SessionId = SESSION) -> int:
        where = SessionKey(AGENT, session).input(type_of(event))
        return await self.log.append(event_message(event, where, origin_of(event), SystemClock())[0])

    async def says(self, text: str = "on") -> int:
        return await self.happens(inputs.UserMessage(text=text))

    async def makes(self, path: str, data: bytes = b"") -> FileRef:
        content = FileContent(data or path.encode())
        return FileRef(
            file_id=(await self.files.create(WORKSPACE, NewFile(path, content), self.writer())).file_id
        )

    async def sees(self, session: SessionId = SESSION, at: int | None = None) -> Seen:
        listed = await self.files.list(Workspace(AGENT, session), up_to=at)
        return {one.path: (one.blob, one.version) for one in listed}

    async def moments(self, session: SessionId = SESSION) -> list[Seen]:
        """What the session saw when each of its events came."""
        everything = SessionKey(AGENT, session).everything
        return [await self.sees(session, one.sequence) async for one in self.log.read(everything)]

    async def exported(self) -> SessionFile:
        head = FileHead(FORMAT, VERSION, SESSION, AGENT, (SESSION,), "2026-01-01T00:00:00Z")
        stored = [one async for one in self.log.read(SessionKey(AGENT, SESSION).everything)]
        happened = [
            FileEvent(one.sequence, one.subject, to_cloud_event(one.envelope, "s"), one.data.decode())
            for one in stored
            if one.envelope is not None
        ]
        about = []
        for kind in (EntityKind.FILE, EntityKind.PATH):
            async for one in events(self.log.read(entity_filter(AGENT, kind))):
                attributes = to_cloud_event(one.envelope, one.event.name)
                data = encode(one.event).decode()
                if kind is EntityKind.PATH and not one.event.name.startswith(f"{SESSION}/"):
                    continue
                about.append(WorkspaceEvent(one.sequence, one.subject, attributes, data))
        about.sort(key=lambda one: one.sequence)
        return SessionFile(head, tuple(happened), workspace=tuple(about))

    async def imports(
        self,
        file: SessionFile,
        ids: dict[SessionId, SessionId] | None = None,
        step: int = 1_000,
        engines: int = 1,
    ) -> ImportProgress:
        """Import it, each step by another engine; all of it."""
        sha256 = (await self.blobs.put(session_file.write(file))).sha256
        command = ImportCommand(sha256, AGENT, ids or {})
        known = [ImportRunner(self.log, self.blobs, step=step) for _ in range(engines)]
        for number in itertools.count():
            engine = known[number % engines] if engines > 1 else ImportRunner(self.log, self.blobs, step=step)
            done = msgspec.convert(await engine.go_on(command), ImportProgress)
            if done.found + done.appended >= done.total:
                return done
        raise AssertionError


@pytest.fixture
async def here() -> Side:
    """A session whose files swap their paths, also all at once, and go and come."""
    side = Side()
    await side.happens(inputs.Created(agent_id=AGENT, token_limit=10_000))
    one, two, gone = [await side.makes(path) for path in ("one", "two", "gone")]
    await side.says()
    for ref, path in ((one, "between"), (two, "one"), (one, "two")):
        await side.files.rename(WORKSPACE, ref, path, side.writer())
        await side.says()
    await side.files.write(WORKSPACE, one, FileContent(b"changed"), side.writer())
    await side.files.delete(WORKSPACE, gone, side.writer())
    await side.says()
    await side.makes("gone", b"another")
    await side.says()
    await _swap(side, one, two)
    await side.says()
    await side.files.promote(WORKSPACE, await side.makes("given"), side.writer())
    await side.says()
    await side.makes("after the last event")
    return side


async def _swap(side: Side, one: FileRef, two: FileRef) -> None:
    """As a rewind does it: in one batch."""
    keys = [EntityKey(AGENT, EntityKind.FILE, ref.file_id or "") for ref in (one, two)]
    files = [entity for key in keys if (entity := await side.entities.current(key))]
    values = [dict(entity.value) for entity in files if isinstance(entity.value, dict)]
    paths = [EntityKey(AGENT, EntityKind.PATH, f"{SESSION}/{value['path']}") for value in values]
    places = [await side.entities.current(path) for path in paths]
    new = [{**value, "path": other["path"]} for value, other in zip(values, reversed(values), strict=True)]
    others = [
        OtherChange(keys[1], files[1], Write(new[1]), side.writer()),
        *(
            OtherChange(path, place, Write({"file_id": ref.file_id}), side.writer())
            for path, place, ref in zip(paths, places, (two, one), strict=True)
        ),
    ]

    async def decide(_: object) -> ChangeSet:
        return ChangeSet(Write(new[0]), tuple(others))

    await side.entities.change_together(keys[0], side.writer(), decide)


def _with_blobs(there: Side, here: Side, without: Sequence[str] = ()) -> Side:
    there.blobs._blobs |= {name: data for name, data in here.blobs._blobs.items() if name not in without}
    return there


@pytest.mark.parametrize("ids", [{}, {SESSION: NEW}])
@pytest.mark.parametrize(("step", "engines"), [(1_000, 1), (3, 1), (1, 1), (2, 2)])
async def test_as_of_each_event_there_are_the_files_of_then(
    here: Side, ids: dict[SessionId, SessionId], step: int, engines: int
) -> None:
    there = _with_blobs(Side(), here)
    for number in range(4):
        await there.happens(inputs.Created(agent_id=AGENT, token_limit=1), SessionId(f"s_{number}"))
    done = await there.imports(await here.exported(), ids, step, engines)
    assert done.left_out == ()
    new = ids.get(SESSION, SESSION)
    moments = await here.moments()
    assert len({msgspec.json.encode(one, order="sorted") for one in moments}) >= 7, "they differ"
    assert await there.moments(new) == [
        {path: seen for path, seen in one.items() if path != "given"} for one in moments
    ]
    assert await there.sees(new) == {
        path: seen for path, seen in (await here.sees()).items() if path != "given"
    }
    workspace = Workspace(AGENT, new)
    for path, (blob, _) in (await there.sees(new)).items():
        found = await there.files.find(workspace, FileRef(path=path))
        assert (found.blob, found.session_id) == (blob, new)
    await there.files.create(workspace, NewFile("between", FileContent(b"free")), there.writer())
    before = await there.log.last_sequence()
    again = await there.imports(await here.exported(), ids)
    assert (again.found, again.appended) == (again.total, 0)
    assert await there.log.last_sequence() == before


async def test_beside_itself_a_session_gets_files_of_its_own_under_the_old_ids(here: Side) -> None:
    before = await here.sees()
    file = await here.exported()
    ids = {one.path: one.file_id for one in await here.files.list(WORKSPACE) if one.session_id}
    for new in (NEW, SessionId("s_newer")):
        await here.imports(file, {SESSION: new})
        workspace = Workspace(AGENT, new)
        for path, old in ids.items():
            copied = await here.files.find(workspace, FileRef(file_id=old))
            assert (copied.path, copied.forked_from, copied.file_id == old) == (path, old, False)
        await here.files.write(workspace, FileRef(path="one"), FileContent(b"mine"), here.writer())
    assert await here.sees() == before


async def test_the_times_and_writers_of_versions_stay(here: Side) -> None:
    there = _with_blobs(Side(), here)
    await there.imports(await here.exported())
    for ref in (FileRef(path="one"), FileRef(path="two")):
        was, now = [await side.files.find(WORKSPACE, ref) for side in (here, there)]
        assert (was.updated_at, was.file_id, was.version) == (now.updated_at, now.file_id, now.version)
        keys = EntityKey(AGENT, EntityKind.FILE, was.file_id)
        told = [
            [(one.event.session_id, one.envelope.source) for one in await side.entities.history(keys)]
            for side in (here, there)
        ]
        assert told[0] == told[1]


async def test_a_version_without_its_bytes_is_not_there_as_of_then_and_is_told() -> None:
    here = Side()
    await here.happens(inputs.Created(agent_id=AGENT, token_limit=10_000))
    await here.makes("lost", b"lost at the end")
    kept = await here.makes("kept", b"lost at first")
    await here.says()
    await here.files.write(WORKSPACE, kept, FileContent(b"there"), here.writer())
    await here.says()
    blobs = {path: blob for path, (blob, _) in (await here.moments())[1].items()}
    there = _with_blobs(Side(), here, [*blobs.values()])
    done = await there.imports(await here.exported(), step=2)
    assert sorted(done.left_out) == ["kept (version 1)", "lost"]
    assert [list(one) for one in await there.moments()] == [[], [], ["kept"]]
    await there.files.create(
        WORKSPACE, NewFile("lost", FileContent(b"its path is free")), EntityWriter.user("later")
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"path": "../up"}, "no `..`"),
        ({"session_id": "s_other"}, "another workspace"),
        ({"size": 3}, "has 4 bytes, not 3"),
        ({"size": None}, "can't be that of a file"),
    ],
)
async def test_what_no_file_can_be_is_refused_before_anything_is_written(
    changes: dict[str, object], why: str
) -> None:
    here = Side()
    await here.happens(inputs.Created(agent_id=AGENT, token_limit=10_000))
    await here.makes("some")
    file = await here.exported()
    about = []
    for one in file.workspace:
        body = msgspec.json.decode(one.data)
        if body["kind"] == "file":
            body["value"] |= changes
        about.append(msgspec.structs.replace(one, data=msgspec.json.encode(body).decode()))
    there = _with_blobs(Side(), here)
    with pytest.raises(Rejected, match=why) as refused:
        await there.imports(msgspec.structs.replace(file, workspace=tuple(about)))
    assert refused.value.kind == "invalid_request"
    assert await there.log.last_sequence() == 0


async def test_other_things_of_an_agent_are_no_part_of_a_workspace() -> None:
    here = Side()
    await here.happens(inputs.Created(agent_id=AGENT, token_limit=10_000))
    await here.entities.write(EntityKey(AGENT, EntityKind.STATE, "k"), 1, here.writer())
    [one] = [one async for one in events(here.log.read(entity_filter(AGENT, EntityKind.STATE)))]
    line = WorkspaceEvent(
        one.sequence, one.subject, to_cloud_event(one.envelope, "k"), encode(one.event).decode()
    )
    file = msgspec.structs.replace(await here.exported(), workspace=(line,))
    with pytest.raises(Rejected, match="not about a file"):
        await Side().imports(file)

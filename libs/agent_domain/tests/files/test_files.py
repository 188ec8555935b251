"""Files of agents, over the log in memory and on JetStream."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import RUNNER
from agent_contracts.files import FileScope
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_domain.files import rules
from agent_domain.files.file import File, FileContent, FileRef, StoredContent, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.memory_room import memory_room

AGENT, OTHERS = AgentId("a1"), AgentId("a2")
MINE, THEIRS = Workspace(AGENT, SessionId("s1")), Workspace(AGENT, SessionId("s2"))
PAGE, FOREIGN = Workspace(AGENT), Workspace(OTHERS, SessionId("s1"))


class World:
    def __init__(self, log: Log, blobs: Blobs) -> None:
        self.log = log
        self.entities = Entities(log, SystemClock(), RUNNER)
        self.files = Files(self.entities, blobs)
        self._calls = 0

    def writer(self) -> EntityWriter:
        self._calls += 1
        return EntityWriter.call(SessionId("s1"), CallId(f"c{self._calls}"), 1, since=0)

    async def make(
        self,
        path: str,
        data: bytes = b"x",
        *,
        where: Workspace = MINE,
        scope: FileScope | None = None,
    ) -> File:
        return await self.files.create(where, NewFile(path, FileContent(data), scope), self.writer())

    async def paths(self, where: Workspace = MINE) -> list[tuple[str, str]]:
        return [(file.path, file.scope.value) for file in await self.files.list(where)]

    async def taken(self) -> list[str]:
        return [entity.key.name for entity in await self.entities.list(AGENT, EntityKind.PATH)]


@pytest.fixture(params=["memory", "jetstream"])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    if request.param == "memory":
        yield World(MemoryLog(), MemoryBlobs())
        return
    connection = await connect(request.getfixturevalue("nats_server").url, name="test")
    await ensure_streams(connection, StreamSettings())
    yield World(JetStreamLog(connection), JetStreamBlobs(connection))
    await connection.close()


async def refused(awaitable: Awaitable[object]) -> tuple[str, str | None]:
    with pytest.raises(Rejected) as caught:
        await awaitable
    return str(caught.value.kind), caught.value.path


def at(path: str) -> FileRef:
    return FileRef(path=path)


async def test_what_was_made_is_found_by_id_and_path_and_read(world: World) -> None:
    made = await world.make("a/b.csv", b"1,2")
    assert (made.version, made.media_type, made.size, made.scope) == (1, "text/csv", 3, FileScope.SESSION)
    for ref in (FileRef(made.file_id), at("a/b.csv")):
        assert await world.files.find(MINE, ref) == made
    assert await world.files.read(made) == b"1,2"


@pytest.mark.parametrize("where", [THEIRS, PAGE, FOREIGN])
async def test_nobody_else_sees_or_changes_a_sessions_file(world: World, where: Workspace) -> None:
    made = await world.make("a.txt")
    for ref in (FileRef(made.file_id), at("a.txt")):
        assert (await refused(world.files.find(where, ref)))[0] == "not_found"
        assert (await refused(world.files.write(where, ref, FileContent(b"y"), world.writer())))[
            0
        ] == "not_found"
        assert (await refused(world.files.rename(where, ref, "b", world.writer())))[0] == "not_found"
        assert (await refused(world.files.promote(where, ref, world.writer())))[0] == "not_found"
        assert await world.files.delete(where, ref, world.writer()) is None
    assert await world.paths(where) == []
    assert await world.files.find(MINE, at("a.txt")) == made


async def test_a_sessions_path_hides_the_agents(world: World) -> None:
    agents = await world.make("a.txt", b"agent", scope=FileScope.AGENT)
    await world.make("b.txt", b"agent", scope=FileScope.AGENT)
    mine = await world.make("a.txt", b"mine")
    assert await world.paths() == [("a.txt", "session"), ("b.txt", "agent")]
    assert await world.paths(THEIRS) == [("a.txt", "agent"), ("b.txt", "agent")]
    assert (await world.files.find(MINE, at("a.txt"))).file_id == mine.file_id
    assert (await world.files.find(THEIRS, at("a.txt"))).file_id == agents.file_id
    assert (await world.files.find(MINE, FileRef(agents.file_id))).file_id == agents.file_id


async def test_a_page_makes_files_of_the_agent_only(world: World) -> None:
    assert (await world.make("a.txt", where=PAGE)).scope is FileScope.AGENT
    assert (await refused(world.make("b.txt", where=PAGE, scope=FileScope.SESSION)))[0] == "not_available"


@pytest.mark.parametrize(
    "path", ["", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\x00b", "a\nb", "a\\b", "a" * 513]
)
async def test_path_tricks_are_refused_and_change_nothing(world: World, path: str) -> None:
    made = await world.make("a.txt")
    assert await refused(world.make(path)) == ("invalid_arguments", "/path")
    assert (await refused(world.files.rename(MINE, at("a.txt"), path, world.writer())))[
        0
    ] == "invalid_arguments"
    assert (await refused(world.files.find(MINE, at(path))))[0] == "invalid_arguments"
    assert await world.files.list(MINE) == [made]


@pytest.mark.parametrize("file_id", ["", "f_", "f_none", "a.txt", "f_\ud800", "0" * 64, "f_*", "f_a.b"])
async def test_an_unknown_id_is_not_found(world: World, file_id: str) -> None:
    await world.make("a.txt")
    assert await refused(world.files.find(MINE, FileRef(file_id))) == ("not_found", "/file_id")


async def test_a_taken_path_is_a_conflict_for_new_renamed_and_promoted(world: World) -> None:
    await world.make("a.txt")
    await world.make("b.txt")
    await world.make("a.txt", scope=FileScope.AGENT)
    assert await refused(world.make("a.txt")) == ("conflict", "/path")
    assert (await refused(world.files.rename(MINE, at("b.txt"), "a.txt", world.writer())))[0] == "conflict"
    assert (await refused(world.files.promote(MINE, at("a.txt"), world.writer())))[0] == "conflict"
    assert sorted(await world.taken()) == ["/a.txt", "s1/a.txt", "s1/b.txt"]


async def test_every_version_stays_readable_and_the_same_bytes_make_none(world: World) -> None:
    made = await world.make("a.txt", b"1")
    second = await world.files.write(MINE, at("a.txt"), FileContent(b"2", "upload"), world.writer())
    assert (second.version, second.source) == (2, "upload")
    assert await world.files.write(MINE, at("a.txt"), FileContent(b"2"), world.writer()) == second
    first = await world.files.find(MINE, at("a.txt"), version=1)
    assert (first, await world.files.read(first)) == (made, b"1")
    assert await refused(world.files.find(MINE, at("a.txt"), version=3)) == ("not_found", "/version")


async def test_a_write_to_a_version_that_moved_on_is_a_conflict(world: World) -> None:
    made = await world.make("a.txt", b"1")
    await world.files.write(MINE, at("a.txt"), FileContent(b"2"), world.writer(), version=1)
    for attempt in (
        world.files.write(MINE, at("a.txt"), FileContent(b"3"), world.writer(), version=1),
        world.files.rename(MINE, at("a.txt"), "b", world.writer(), version=1),
        world.files.delete(MINE, FileRef(made.file_id), world.writer(), version=1),
    ):
        assert await refused(attempt) == ("conflict", "/version")
    assert await world.files.read(await world.files.find(MINE, at("a.txt"))) == b"2"


async def test_a_renamed_file_keeps_its_id_and_frees_its_path(world: World) -> None:
    made = await world.make("a.txt")
    renamed = await world.files.rename(MINE, at("a.txt"), "dir/b.txt", world.writer())
    assert (renamed.file_id, renamed.path, renamed.version) == (made.file_id, "dir/b.txt", 2)
    assert await world.taken() == ["s1/dir/b.txt"]
    assert (await world.make("a.txt")).file_id != made.file_id


async def test_a_promoted_file_is_the_agents(world: World) -> None:
    made = await world.make("a.txt")
    promoted = await world.files.promote(MINE, at("a.txt"), world.writer())
    assert (promoted.file_id, promoted.scope, promoted.session_id) == (made.file_id, FileScope.AGENT, None)
    assert await world.paths(THEIRS) == [("a.txt", "agent")]
    assert await world.taken() == ["/a.txt"]
    assert await world.files.promote(MINE, at("a.txt"), world.writer()) == promoted


async def test_a_deleted_file_is_gone_with_its_path(world: World) -> None:
    made = await world.make("a.txt")
    assert await world.files.delete(MINE, at("a.txt"), world.writer()) == made
    assert (await world.files.list(MINE), await world.taken()) == ([], [])
    assert await world.files.delete(MINE, at("a.txt"), world.writer()) is None
    assert (await refused(world.files.find(MINE, FileRef(made.file_id))))[0] == "not_found"


async def test_a_repeated_call_does_everything_once_wherever_its_path_leads_now(world: World) -> None:
    writers = {name: world.writer() for name in ("create", "append", "rename", "promote", "delete")}

    async def append(_: File, data: bytes) -> FileContent:
        return FileContent(data + b"+")

    async def create() -> object:
        return await world.files.create(MINE, NewFile("a.txt", FileContent(b"1")), writers["create"])

    async def all_again(n: int) -> list[object]:
        steps: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: world.files.edit(MINE, at("a.txt"), append, writers["append"]),
            lambda: world.files.rename(MINE, at("a.txt"), "b.txt", writers["rename"]),
            lambda: world.files.promote(MINE, at("b.txt"), writers["promote"]),
            lambda: world.files.delete(MINE, at("b.txt"), writers["delete"]),
        )
        return [await create(), *[await step() for step in steps[:n]]]

    for n in (1, 2, 3, 4):  # each time everything before is run again
        done = await all_again(n)
        assert await all_again(n) == done
    assert (await world.files.list(MINE), await world.taken()) == ([], [])
    await world.make("b.txt", b"another's")
    await world.files.delete(MINE, at("b.txt"), writers["delete"])
    assert await world.paths() == [("b.txt", "session")]


async def test_two_who_append_at_once_both_count(world: World) -> None:
    await world.make("a.txt", b"")

    async def append(n: int) -> None:
        async def change(_: File, data: bytes) -> FileContent:
            return FileContent(data + f"{n}\n".encode())

        await world.files.edit(MINE, at("a.txt"), change, world.writer())

    await asyncio.gather(*map(append, range(5)))
    found = await world.files.find(MINE, at("a.txt"))
    assert sorted((await world.files.read(found)).split()) == [b"0", b"1", b"2", b"3", b"4"]
    assert found.version == 6


@pytest.mark.parametrize("path", ["😀" * 512, "a b/ü*>.txt", "~a", ".hidden", "a" * 512], ids=len)
async def test_any_path_that_can_be_is_kept(world: World, path: str) -> None:
    made = await world.make(path)
    renamed = await world.files.rename(MINE, at(path), "b", world.writer())
    assert (made.path, renamed.file_id) == (path, made.file_id)
    assert await world.taken() == ["s1/b"]


async def test_of_many_who_make_one_path_at_once_one_does(world: World) -> None:
    done = await asyncio.gather(*(world.make("a.txt", bytes([n])) for n in range(5)), return_exceptions=True)
    assert [type(one).__name__ for one in done].count("File") == 1
    assert len(await world.files.list(MINE)) == 1


async def test_a_fork_finds_its_copy_under_the_old_id(world: World) -> None:
    made = await world.make("a.txt", b"1")
    fork = Workspace(AGENT, SessionId("fork"))
    stored = StoredContent(made.blob, made.size, made.media_type, made.source)
    new = NewFile("a.txt", stored, forked_from=made.file_id)
    copy = await world.files.create(fork, new, world.writer())
    await world.files.write(fork, FileRef(made.file_id), FileContent(b"2"), world.writer())
    assert (await world.files.find(fork, FileRef(made.file_id))).file_id == copy.file_id
    assert await world.files.read(await world.files.find(MINE, FileRef(made.file_id))) == b"1"


async def test_limits_of_a_file_and_of_all_that_an_agent_keeps(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "LARGEST_FILE", 100_000)
    world.entities.room = memory_room(world.log, 150_000)
    assert (await refused(world.make("a.txt", bytes(100_001))))[0] == "too_large"
    await world.make("a.txt", bytes(100_000))
    assert (await refused(world.make("b.txt", bytes(60_000))))[0] == "too_large"
    await world.make("b.txt", bytes(45_000), where=THEIRS)
    longer = world.files.write(THEIRS, at("b.txt"), FileContent(bytes(60_000)), world.writer())
    assert (await refused(longer))[0] == "too_large"
    await world.make("a.txt", bytes(100_000), where=FOREIGN)
    await world.files.delete(MINE, at("a.txt"), world.writer())
    await world.make("c.txt", bytes(95_000), where=THEIRS)


@pytest.mark.parametrize(
    ("path", "data", "media_type"),
    [
        ("a.md", b"# a", "text/markdown"),
        ("a.XLSX", b"PK", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.txt", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("a", b"RIFF\0\0\0\0WEBP", "image/webp"),
        ("notes", "grün".encode(), "text/plain"),
        ("notes", b"a" * 65_535 + "ü".encode(), "text/plain"),
        ("notes", b"a\0b", "application/octet-stream"),
        ("notes", b"gr\xfcn", "application/octet-stream"),
    ],
)
async def test_the_media_type_is_told_by_bytes_and_path(
    world: World, path: str, data: bytes, media_type: str
) -> None:
    assert (await world.make(path, data)).media_type == media_type

"""Forks at any event, by reference."""

import asyncio
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected, Transient
from agent_contracts.files import FileScope, SentFile
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.subjects import ALL_RESULTS, tool_call_requests
from agent_contracts.questions.queries import ForkCommand
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import RunsOn
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.session_engine.world import AGENT, CREATED, KEY, SESSION, World, answer
from session_domain.domain.state import Status
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions
from session_engine.neighbours.forks import ForkMaker

FORK = SessionId("s_fork")


def notepad(session_id: SessionId) -> EntityKey:
    """A session's notepad."""
    return EntityKey(AGENT, EntityKind.NOTEPAD, session_id)


async def a_turn_with_a_tool() -> World:
    """A session that asked a tool and answered."""
    world = World()
    for event in (CREATED, inputs.UserMessage(text="hi")):
        await world.happens(event)
        await world.settle()
    await world.result(answer("m000003", "look"))
    await world.settle()
    await world.result(ToolCallCompleted(CallId("m000003-00"), "seen", "r", duration_ms=1))
    await world.settle()
    state = await world.state()
    assert state.model_call is not None
    await world.result(answer(state.model_call.call_id))
    await world.settle()
    return world


def forks(world: World) -> ForkMaker:
    """The command's handler."""
    return ForkMaker(world.log, FoldedSessions(world.log), SystemClock(), MemoryBlobs())


async def test_a_fork_shares_its_history_by_reference() -> None:
    world = await a_turn_with_a_tool()
    at = (await world.state()).last_sequence
    made = await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    assert made == {"id": FORK, "at": at}
    own = [message async for message in world.log.read(KEY.sibling(FORK).everything)]
    assert len(own) == 2
    original, fork = await world.state(), await world.state(FORK)
    assert list(fork.history) == list(original.history)
    assert fork.status is Status.IDLE


async def test_a_fork_with_another_message_goes_its_own_way() -> None:
    world = await a_turn_with_a_tool()
    at = (await world.state()).last_sequence
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at, message="instead", model="other"))
    await world.settle()
    fork = await world.state(FORK)
    assert (fork.status, fork.model, fork.history[-1].text) == (Status.RUNNING, "other", "instead")
    assert (await world.state()).status is Status.IDLE
    assert (await replay(world.log, KEY.sibling(FORK))).difference is None
    assert (await replay(world.log, KEY)).difference is None


async def test_a_fork_has_the_notepad_as_it_was_and_under_its_own_name() -> None:
    world = await a_turn_with_a_tool()
    entities = Entities(world.log, SystemClock(), event_sources.RUNNER)
    await entities.write(notepad(SESSION), "1. dig", EntityWriter.user("w1"))
    await world.happens(inputs.Renamed(title="later"))
    at = (await world.state()).last_sequence
    await entities.write(notepad(SESSION), "2. fill in", EntityWriter.user("w2"))
    command = ForkCommand(SESSION, FORK, at)
    await forks(world).fork(KEY, command)
    copied = await entities.current(notepad(FORK))
    assert copied is not None
    assert copied.value == "1. dig"
    own_events = [m.sequence async for m in world.log.read(KEY.sibling(FORK).everything)]
    assert copied.sequence < min(own_events)

    await entities.write(notepad(FORK), "mine now", EntityWriter.user("w3"))
    await forks(world).fork(KEY, command)
    own, others = await entities.current(notepad(FORK)), await entities.current(notepad(SESSION))
    assert own is not None
    assert others is not None
    assert (own.value, others.value) == ("mine now", "2. fill in")


async def test_a_fork_has_the_plan_as_it_was() -> None:
    world = await a_turn_with_a_tool()
    entities = Entities(world.log, SystemClock(), event_sources.RUNNER)
    key = EntityKey(KEY.agent_id, EntityKind.PLAN, SESSION)
    await entities.write(key, "## Goal\ndig", EntityWriter.user("w1"))
    await world.happens(inputs.Renamed(title="later"))
    at = (await world.state()).last_sequence
    await entities.write(key, "## Goal\nfill in", EntityWriter.user("w2"))
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    copied = await entities.current(EntityKey(KEY.agent_id, EntityKind.PLAN, FORK))
    assert copied is not None
    assert copied.value == "## Goal\ndig"


async def test_between_a_call_and_its_result_the_nearest_earlier_point_is_taken_and_said() -> None:
    world = await a_turn_with_a_tool()
    requested = [m.sequence async for m in world.log.read(tool_call_requests(RunsOn.TOOLS))]
    made = await forks(world).fork(KEY, ForkCommand(SESSION, FORK, requested[0]))
    assert made["at"] < requested[0]
    assert (await world.state(FORK)).is_at_rest


async def test_a_fork_in_the_middle_of_a_turn_really_asks_the_model_again() -> None:
    world = await a_turn_with_a_tool()
    results = [m.sequence async for m in world.log.read(ALL_RESULTS)]
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, results[1]))
    await world.settle()
    fork = await world.state(FORK)
    assert fork.model_call is not None
    assert fork.history[-1].tool_calls[0].result == "seen"


async def test_asking_twice_makes_one_fork() -> None:
    world = await a_turn_with_a_tool()
    at = (await world.state()).last_sequence
    command = ForkCommand(SESSION, FORK, at, message="instead")
    answers = await asyncio.gather(*(forks(world).fork(KEY, command) for _ in range(4)))
    assert answers == [{"id": FORK, "at": at}] * 4
    marks = [message async for message in world.log.read("ses.*.*.*.ev.fork_made")]
    assert len(marks) == 1


async def test_before_its_beginning_a_session_cannot_be_forked() -> None:
    world = await a_turn_with_a_tool()
    with pytest.raises(Rejected, match="began after event 0"):
        await forks(world).fork(KEY, ForkCommand(SESSION, FORK, 0))


async def test_a_fork_of_a_fork_has_the_whole_history() -> None:
    world = await a_turn_with_a_tool()
    at = (await world.state()).last_sequence
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    await world.settle()
    end = (await world.state(FORK)).last_sequence
    second = SessionId("s_second")
    await forks(world).fork(KEY.sibling(FORK), ForkCommand(FORK, second, end))
    assert list((await world.state(second)).history) == list((await world.state()).history)


async def test_an_error_can_be_forked_from_before_it_happened() -> None:
    world = await a_turn_with_a_tool()
    at = (await world.state()).last_sequence
    await world.happens(inputs.Archived())
    await world.settle()
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    assert (await world.state(FORK)).status is Status.IDLE
    assert (await world.state()).status is Status.COMPLETED


class Written:
    """Files that a session's tools write."""

    def __init__(self, world: World) -> None:
        self.files = Files(Entities(world.log, SystemClock(), event_sources.RUNNER), MemoryBlobs())
        self._writes = 0

    def writer(self) -> EntityWriter:
        self._writes += 1
        return EntityWriter.user(f"f{self._writes}")

    async def make(self, path: str, text: str, scope: FileScope = FileScope.SESSION) -> str:
        new = NewFile(path, FileContent(text.encode()), scope)
        return (await self.files.create(Workspace(AGENT, SESSION), new, self.writer())).file_id

    async def write(self, path: str, text: str, session: SessionId = SESSION) -> None:
        content = FileContent(text.encode())
        await self.files.write(Workspace(AGENT, session), FileRef(path=path), content, self.writer())

    async def of(self, session: SessionId) -> dict[str, str]:
        """Each path and its bytes."""
        workspace = Workspace(AGENT, session)
        found = {}
        for file in await self.files.list(workspace):
            assert await self.files.find(workspace, FileRef(path=file.path)) == file
            found[file.path] = (await self.files.read(file)).decode()
        return found


async def test_a_fork_has_its_sources_files_as_they_were_and_each_goes_its_own_way() -> None:
    world = await a_turn_with_a_tool()
    files = Written(world)
    kept = await files.make("kept.txt", "old")
    await files.make("shared.txt", "ours", FileScope.AGENT)
    await world.happens(inputs.Renamed(title="later"))
    at = (await world.state()).last_sequence
    await files.write("kept.txt", "newer")
    await files.make("later.txt", "x")
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    assert await files.of(FORK) == {"kept.txt": "old", "shared.txt": "ours"}
    copied = await files.files.find(Workspace(AGENT, FORK), FileRef(file_id=kept))
    assert copied.forked_from == kept
    first = await anext(world.log.read(KEY.sibling(FORK).everything))
    written = await Entities(world.log, SystemClock(), "/t").list(AGENT, EntityKind.FILE)
    assert next(one.sequence for one in written if one.key.name == copied.file_id) < first.sequence
    await files.write("kept.txt", "fork's", FORK)
    assert await files.of(FORK) == {"kept.txt": "fork's", "shared.txt": "ours"}
    assert await files.of(SESSION) == {"kept.txt": "newer", "shared.txt": "ours", "later.txt": "x"}


@pytest.mark.parametrize("many", [3, 5])
async def test_a_fork_that_was_cut_off_between_two_batches_has_everything_once(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_domain.files.copying._AT_ONCE", 2)
    world = await a_turn_with_a_tool()
    files = Written(world)
    for number in range(many):
        await files.make(f"{number}.txt", f"text {number}")
    await world.happens(inputs.Renamed(title="later"))
    at = (await world.state()).last_sequence
    together, batches = world.log.append_together, 0

    async def cut_off(messages: Any, expects: Any) -> int:
        nonlocal batches
        batches += 1
        if batches > 1:
            raise Transient("killed")
        return await together(messages, expects)

    monkeypatch.setattr(world.log, "append_together", cut_off)
    with pytest.raises(Transient):
        await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    monkeypatch.setattr(world.log, "append_together", together)
    for _ in range(2):
        await forks(world).fork(KEY, ForkCommand(SESSION, FORK, at))
    assert await files.of(FORK) == await files.of(SESSION)
    copies = [one async for one in world.log.read(f"agt.{AGENT}.*.*", after=at) if b"s_fork" in one.data]
    assert len(copies) == 2 * many


async def test_a_fork_of_a_sub_session_has_the_files_of_its_tree() -> None:
    world = await a_turn_with_a_tool()
    files = Written(world)
    await files.make("plan.txt", "dig")
    child = KEY.sibling(SessionId("s_child"))
    created = msgspec.structs.replace(CREATED, parent_id=SESSION, depth=1)
    await world.happens(created, child.input(type_of(created)))
    await world.settle()
    at = await world.log.last_sequence()
    await forks(world).fork(child, ForkCommand(child.session_id, FORK, at))
    assert await files.of(FORK) == {"plan.txt": "dig"}


async def test_in_a_fork_of_a_fork_a_file_is_found_by_each_id_that_it_had() -> None:
    world = await a_turn_with_a_tool()
    files = Written(world)
    first = await files.make("plan.txt", "dig")
    await world.happens(inputs.Renamed(title="later"))
    await forks(world).fork(KEY, ForkCommand(SESSION, FORK, await world.log.last_sequence()))
    middle = await files.files.find(Workspace(AGENT, FORK), FileRef(file_id=first))
    second = SessionId("s_second")
    at = await world.log.last_sequence()
    await forks(world).fork(KEY.sibling(FORK), ForkCommand(FORK, second, at))
    workspace = Workspace(AGENT, second)
    found = [await files.files.find(workspace, FileRef(file_id=one)) for one in (first, middle.file_id)]
    assert found[0] == found[1]
    assert found[0].session_id == second


async def test_what_a_fork_is_told_comes_with_files_of_its_own_as_they_were_sent() -> None:
    world = await a_turn_with_a_tool()
    files = Written(world)
    at = (await world.state()).last_sequence
    # Sent after the event at which the fork begins, and changed since; a path is taken there.
    await files.make("taken.txt", "there before")
    ours = await files.make("ours.txt", "ours", FileScope.AGENT)
    taken, new = await files.make("new.txt", "sent"), await files.make("late.txt", "late")
    sent = []
    for file_id in (ours, taken, new):
        one = await files.files.find(Workspace(AGENT, SESSION), FileRef(file_id=file_id))
        sent.append(SentFile(one.file_id, one.path, one.media_type, one.size, one.version, one.blob))
    sent[1] = msgspec.structs.replace(sent[1], path="taken.txt")
    await files.write("late.txt", "changed since")
    command = ForkCommand(SESSION, FORK, at, message="", files=tuple(sent))
    for _ in range(2):
        await forks(world).fork(KEY, command)
    await world.settle()
    assert await files.of(FORK) == {"ours.txt": "ours", "taken.txt": "sent", "late.txt": "late"}
    said = (await world.state(FORK)).history[-1]
    assert [(one.path, one.blob) for one in said.files] == [(one.path, one.blob) for one in sent]
    workspace = Workspace(AGENT, FORK)
    for told, was in zip(said.files, sent, strict=True):
        found = await files.files.find(workspace, FileRef(file_id=told.file_id), told.version)
        assert found.blob == was.blob
        assert (found.file_id == was.file_id) == (was.path == "ours.txt")
    assert (await files.of(SESSION))["late.txt"] == "changed since"
    assert (await replay(world.log, KEY.sibling(FORK))).difference is None

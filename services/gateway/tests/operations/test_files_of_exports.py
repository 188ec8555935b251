"""An exported session has with it what happened to its files, and their bytes as far as there is room."""

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.blob_ref import Excerpt, sha256_of
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.model_context import ContextPart, ModelContext
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_events.results import ModelCallCompleted, ToolCallCompleted, Usage
from agent_contracts.sessions import session_file
from agent_contracts.sessions.session_file import SessionFile
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession
from gateway.operations.sessions.exports import fitting


class Side:
    """One Foldline, and what its sessions have in their workspaces."""

    def __init__(self) -> None:
        self.memory = InMemory()
        self.files = Files(Entities(self.memory.log, SystemClock(), event_sources.RUNNER), self.memory.blobs)
        self._writes = 0

    def writer(self) -> EntityWriter:
        self._writes += 1
        return EntityWriter.user(f"w{self._writes}")

    async def session(self) -> Workspace:
        made = await self.memory.operations.creation.create(NewSession(), asked())
        return Workspace(DEFAULT_AGENT, SessionId(made.id))

    async def makes(self, workspace: Workspace, path: str, data: bytes) -> FileRef:
        made = await self.files.create(workspace, NewFile(path, FileContent(data)), self.writer())
        return FileRef(file_id=made.file_id)

    async def writes(self, workspace: Workspace, ref: FileRef, data: bytes) -> None:
        await self.files.write(workspace, ref, FileContent(data), self.writer())

    async def exported(self, workspace: Workspace) -> SessionFile:
        assert workspace.session_id is not None
        written = session_file.write(await self.memory.operations.exports.file(workspace.session_id))
        return session_file.read(written)


@pytest.fixture
def here() -> Side:
    return Side()


def kinds(file: SessionFile) -> list[str]:
    return [one.subject.split(".")[2] for one in file.workspace]


async def test_all_that_happened_to_a_workspace_is_told_and_nothing_of_another(here: Side) -> None:
    mine, other = await here.session(), await here.session()
    await here.makes(other, "others.txt", b"others")
    agents = Workspace(DEFAULT_AGENT)
    await here.makes(agents, "agents.txt", b"agents")
    before = await here.memory.log.last_sequence()
    ref = await here.makes(mine, "a.txt", b"old")
    await here.writes(mine, ref, b"new")
    await here.files.rename(mine, ref, "b.txt", here.writer())
    await here.files.delete(mine, ref, here.writer())
    given = await here.makes(mine, "given.txt", b"given")
    await here.files.promote(mine, given, here.writer())
    after = await here.memory.log.last_sequence()
    await here.writes(mine, given, b"the agent's by now")
    file = await here.exported(mine)
    # The agent's path is not told, all else is: it was written after that.
    told = [one.sequence for one in file.workspace]
    assert len(told) == after - before - 1
    assert (told[0], told[-1], told) == (before + 1, after, sorted(told))
    assert sorted(kinds(file)) == ["file"] * 6 + ["path"] * 6
    assert {one.sha256 for one in file.blobs} == {sha256_of(b"old"), sha256_of(b"new"), sha256_of(b"given")}
    assert session_file.read(session_file.write(file)) == file


async def test_what_was_sent_with_a_message_is_in_the_export_as_it_was(here: Side) -> None:
    mine = await here.session()
    ref = await here.makes(mine, "plan.txt", b"as it was")
    session_id = mine.session_id or SessionId("")
    await here.memory.operations.steering.say(session_id, "look", asked(), (ref.file_id or "",))
    await here.files.delete(mine, ref, here.writer())
    assert sha256_of(b"as it was") in {one.sha256 for one in (await here.exported(mine)).blobs}


async def test_what_files_are_goes_before_what_they_were(here: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.operations.sessions.exports._LARGEST_FILES", 100)
    mine = await here.session()
    for path, versions in (("large", (101, 100)), ("deleted", (5,)), ("small", (40, 10, 50))):
        first, *rest = versions
        ref = await here.makes(mine, path, path[:1].encode() * first)
        for size in rest:
            await here.writes(mine, ref, path[:1].encode() * size)
        if path == "deleted":
            await here.files.delete(mine, ref, here.writer())
    sizes = sorted(len(one.data) for one in (await here.exported(mine)).blobs)
    assert sizes == [5, 10, 50], "50 is a file now; of what else fits, the smallest"


async def test_a_sub_sessions_export_says_whose_workspace_it_was(here: Side) -> None:
    mine = await here.session()
    head = (await here.exported(mine)).head
    assert (head.workspace, head.workspace_of) == (None, mine.session_id)
    child = SessionKey(DEFAULT_AGENT, SessionId("s_child"))
    begun = Created(agent_id=DEFAULT_AGENT, token_limit=1, parent_id=mine.session_id)
    message, _ = event_message(begun, child.input(type_of(begun)), origin_of(begun), SystemClock())
    await here.memory.log.append(message)
    await here.makes(mine, "shared.txt", b"shared")
    file = await here.exported(Workspace(DEFAULT_AGENT, child.session_id))
    assert (file.head.session_id, file.head.workspace_of) == (child.session_id, mine.session_id)
    assert kinds(file) == ["path", "file"]


def test_the_largest_blobs_are_left_out_first() -> None:
    assert fitting({"a": 5, "b": 1, "c": 4}, 6) == ["b", "c"]
    assert session_file.LARGEST_FILES * 4 / 3 < 64 * 1024 * 1024


async def test_an_export_goes_on_without_blobs_that_were_lost_and_names_them(here: Side) -> None:
    mine = await here.session()
    for path in ("kept.txt", "lost.txt"):
        await here.makes(mine, path, path.encode())
    session = SessionKey(DEFAULT_AGENT, mine.session_id or SessionId(""))
    blobs, gone = here.memory.blobs, sha256_of(b"lost.txt")
    prompt, shapes = await blobs.put(b"prompt"), await blobs.put(b"{}")
    context = ModelContext(
        system=[ContextPart("p", prompt.sha256)], tools=[], timezone="UTC", shapes=shapes.sha256
    )
    whole, part = (await blobs.put(msgspec.json.encode(context))).sha256, prompt.sha256
    lost_context = (await blobs.put(b"of another call")).sha256
    result = ToolCallCompleted(
        call_id=CallId("c_1"), runner="r", result=None, excerpt=Excerpt("a", "c", await blobs.put(b"a..c"))
    )
    answers = (
        ModelCallCompleted(CallId(f"m_{one[:8]}"), "hi", Usage(1, 1), "m", context=one)
        for one in (whole, lost_context)
    )
    named: list[ToolCallCompleted | ModelCallCompleted] = [result, *answers]
    for number, event in enumerate(named):
        subject = session.results
        message, _ = event_message(event, subject, origin_of(event), SystemClock(), f"e{number}")
        await here.memory.log.append(message)
    for sha256 in (gone, part, lost_context, sha256_of(b"a..c")):
        blobs.lose(sha256)
    file = await here.exported(mine)
    assert {*file.lost} == {gone, part, lost_context, sha256_of(b"a..c")}
    assert {one.sha256 for one in file.blobs} == {whole, shapes.sha256, sha256_of(b"kept.txt")}
    assert len(file.events) >= 3
    assert len(file.workspace) == 4


async def test_a_store_that_does_not_answer_is_not_taken_for_a_loss(
    here: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = await here.session()
    await here.makes(mine, "a.txt", b"a")

    async def no_answer(sha256: str) -> bytes:
        raise Transient("NATS doesn't answer")

    monkeypatch.setattr(here.memory.blobs, "get", no_answer)
    with pytest.raises(Transient):
        await here.exported(mine)

"""Which files go with an erased session, and which stay."""

from agent_contracts import event_sources
from agent_contracts.files import FileScope
from agent_contracts.ids import AgentId, SessionId
from agent_domain.erasing.workspaces import subjects_of_files
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog

AGENT, SESSION, OTHER = AgentId("default"), SessionId("s_1"), SessionId("s_2")


async def test_the_workspaces_files_go_deleted_ones_too_and_what_became_the_agents_stays() -> None:
    log = MemoryLog()
    files = Files(Entities(log, SystemClock(), event_sources.RUNNER), MemoryBlobs())
    mine, theirs = Workspace(AGENT, SESSION), Workspace(AGENT, OTHER)
    made = {}
    for number, (where, path, scope) in enumerate(
        [
            (mine, "kept.txt", FileScope.SESSION),
            (mine, "ein Name.txt", FileScope.SESSION),
            (mine, "deleted.txt", FileScope.SESSION),
            (mine, "promoted.txt", FileScope.SESSION),
            (mine, "shared.txt", FileScope.AGENT),
            (theirs, "kept.txt", FileScope.SESSION),
        ]
    ):
        new = NewFile(path, FileContent(b"x"), scope)
        made[number] = (await files.create(where, new, EntityWriter.user(f"w{number}"))).file_id
    await files.delete(mine, FileRef(path="deleted.txt"), EntityWriter.user("deletes"))
    await files.promote(mine, FileRef(path="promoted.txt"), EntityWriter.user("promotes"))
    found = await subjects_of_files(log, AGENT, [SESSION])
    ids = {subject.rpartition(".")[2] for subject in found if ".file." in subject}
    assert ids == {made[0], made[1], made[2]}
    paths = [one.data async for one in log.read("agt.default.path.*") if one.subject in found]
    assert paths
    assert all(b'"s_1/' in one for one in paths)
    left = [one.data async for one in log.read("agt.default.*.*") if one.subject not in found]
    assert not any(b'"name":"s_1/' in one for one in left)

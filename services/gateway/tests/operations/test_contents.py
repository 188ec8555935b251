"""A file is found by its id alone, and only where its agent is; a fork takes none of another agent's."""

import pytest

from agent_contracts import event_sources
from agent_contracts.api.sessions import SentVersion
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.address import Address
from agent_domain.files.file import File, FileContent, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory, at_rest
from gateway.operations.agents.agents import NewAgent
from gateway.operations.idempotency import asked
from gateway.operations.rewind.forks import NewFork
from gateway.operations.sessions.creation import NewSession

OTHER = AgentId("other")


@pytest.fixture
async def theirs(memory: InMemory) -> File:
    """A file of another agent's."""
    await memory.operations.agents.make(NewAgent(name="Other", id=OTHER), asked())
    files = Files(Entities(memory.log, SystemClock(), event_sources.RUNNER), memory.blobs)
    return await files.create(
        Workspace(OTHER), NewFile("a.txt", FileContent(b"theirs")), EntityWriter.user("w1")
    )


@pytest.mark.parametrize("version", [None, 1])
async def test_a_file_is_its_agents_and_is_gone_with_it(
    memory: InMemory, theirs: File, version: int | None
) -> None:
    found = await memory.operations.contents.find(theirs.file_id, version)
    assert (found.agent_id, found.file.path, found.file.blob) == (OTHER, "a.txt", theirs.blob)
    await memory.operations.agents.delete(OTHER, asked())
    with pytest.raises(Rejected) as refused:
        await memory.operations.contents.find(theirs.file_id, version)
    assert refused.value.kind == "not_found"


async def test_a_fork_takes_no_file_of_another_agent(memory: InMemory, theirs: File) -> None:
    """Its id may be known from elsewhere: the answer is that of a file that doesn't exist."""
    session = SessionId((await memory.operations.creation.create(NewSession(), asked())).id)
    at_rest(memory, session, 1)
    told = []
    for file_id in (theirs.file_id, "f_" + "0" * 20):
        new = NewFork(at=Address(1), message="look", files=(SentVersion(file_id=file_id, version=1),))
        with pytest.raises(Rejected) as refused:
            await memory.operations.forks.fork(session, new, asked())
        assert (refused.value.kind, refused.value.path) == ("invalid_request", "/files/0")
        told.append(refused.value.message.replace(file_id, "FILE"))
    assert told == [f"Agent {DEFAULT_AGENT} has no file FILE with a version 1"] * 2
    assert all("Fork" not in type(one).__name__ for one in memory.engine.asked)

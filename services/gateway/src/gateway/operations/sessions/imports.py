"""Imports: the gateway checks the file and stores its blobs, the session engine appends its events."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import BinaryIO, Literal

import msgspec

from agent_contracts.api.sessions import ImportedSession
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.questions.queries import IMPORT, ImportCommand, ImportProgress
from agent_contracts.sessions import session_file
from agent_contracts.sessions.session_file import FileHead
from agent_platform.log.blobs.port import Blobs
from agent_platform.process.clock import Clock
from gateway.operations.ports import Questions
from gateway.operations.room import AgentsWithRoom

Ids = Literal["keep", "new"]


class SessionImports:
    """Makes exported sessions sessions of this Foldline; nothing in them runs again."""

    def __init__(
        self,
        blobs: Blobs,
        clock: Clock,
        agents: AgentsWithRoom,
        questions: Questions,
    ) -> None:
        self._blobs = blobs
        self._clock = clock
        self._agents = agents
        self._questions = questions
        self._turn = asyncio.Lock()

    async def take(self, data: BinaryIO, ids: Ids, agent_id: AgentId | None) -> ImportedSession:
        """Import a file. Its sessions become those of `agent_id`, else of the agent that the file names.

        It is read twice: all of it is checked before anything of it is stored. `Rejected`: `invalid_request`
        (not an exported session, or a damaged one), `conflict` (it exists already), `not_found` (no such
        agent), `quota_exceeded`. An import that was cut off is gone on with by the same request, where ids
        are kept.
        """
        async with self._turn:  # what is read, hashed and checked takes a processor: one file at a time
            return await self._take(data, ids, agent_id)

    async def _take(self, data: BinaryIO, ids: Ids, agent_id: AgentId | None) -> ImportedSession:
        file = await asyncio.to_thread(session_file.check, data)
        owner = agent_id or file.head.agent_id
        await self._agents.require(owner, file.stored_bytes)
        new = {one: SessionId(self._clock.new_id("s")) for one in file.head.sessions} if ids == "new" else {}
        for blob in session_file.blobs_of(data):
            await self._blobs.put(blob.data, owner=owner)
        stored = await self._blobs.put_stream(
            _each(session_file.without_blobs(data)), session_file.MEDIA_TYPE
        )
        command = ImportCommand(file=stored.sha256, agent_id=owner, ids=new)
        done = await self._append(command, file.head)
        return ImportedSession(
            id=new.get(file.head.session_id, file.head.session_id),
            agent_id=owner,
            sessions=[new.get(one, one) for one in file.head.sessions],
            events=file.events,
            blobs=file.blobs,
            left_out=list(done.left_out),
            lost=len(file.lost),
        )

    async def _append(self, command: ImportCommand, head: FileHead) -> ImportProgress:
        begun = False
        while True:
            answer = await self._questions.ask(IMPORT, command)
            progress = msgspec.convert(answer, ImportProgress)
            if progress.appended == 0 and not begun:
                raise Rejected(
                    f"Session {head.session_id} was imported before: open it, or "
                    "import the file under new ids",
                    kind="conflict",
                )
            begun = True
            if progress.found + progress.appended >= progress.total:
                return progress


async def _each(lines: Iterable[bytes]) -> AsyncIterator[bytes]:
    for line in lines:
        yield line

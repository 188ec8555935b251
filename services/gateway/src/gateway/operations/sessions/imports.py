"""Imports: the gateway checks the file and stores its blobs, the session engine appends its events."""

from typing import Literal

import msgspec

from agent_contracts import session_file
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.queries import IMPORT, ImportCommand, ImportProgress
from agent_contracts.session_file import SessionFile
from gateway.deps import Deps
from gateway.http.problems import Kind, ProblemError
from gateway.operations.rewind.views import Imported

Ids = Literal["keep", "new"]


async def import_session(deps: Deps, data: bytes, ids: Ids, agent_id: AgentId | None) -> Imported:
    """Make the file's sessions sessions of this Foldline; nothing in them runs again.

    Problems: `invalid_request` (no exported session, or a damaged one), `conflict` (a session is there
    already), `not_found` (no such agent). An import that was cut off is gone on with by the same request,
    where ids are kept.
    """
    file = session_file.read(data)
    owner = agent_id or file.head.agent_id
    await deps.agents.require(owner)
    new = {one: SessionId(deps.clock.new_id("s")) for one in file.head.sessions} if ids == "new" else {}
    for blob in file.blobs:
        await deps.blobs.put(blob.data)
    events = session_file.write(SessionFile(file.head, file.events))
    stored = await deps.blobs.put(events, session_file.MEDIA_TYPE)
    command = ImportCommand(file=stored.sha256, agent_id=owner, ids=new)
    await _append(deps, command, file)
    return Imported(
        id=new.get(file.head.session_id, file.head.session_id),
        agent_id=owner,
        sessions=[new.get(one, one) for one in file.head.sessions],
        events=len(file.events),
        blobs=len(file.blobs),
    )


async def _append(deps: Deps, command: ImportCommand, file: SessionFile) -> None:
    begun = False
    while True:
        answer = await deps.questions.ask(IMPORT, command)
        progress = msgspec.convert(answer, ImportProgress)
        if progress.appended == 0 and not begun:
            raise ProblemError(
                Kind.CONFLICT,
                f"session {file.head.session_id} was imported before: it is there, or give it new ids",
            )
        begun = True
        if progress.found + progress.appended >= progress.total:
            return

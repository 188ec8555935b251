"""Messages: read a page, say something."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from agent_contracts.entities import EntityKind
from agent_contracts.session_events.inputs import UserMessage
from agent_contracts.subjects import entity_subject
from gateway.deps import MAX_SEQUENCE, Deps, MinSequence, SessionPath, Using
from gateway.http.problems import Kind, ProblemError
from gateway.http.requests import PostMessage
from gateway.operations.asked import KeyHeader, asked
from gateway.operations.sessions.directory import KnownSession
from gateway.operations.sessions.refusals import closed
from gateway.queries import messages
from gateway.queries.checkpoint import wait_for
from gateway.queries.views import Accepted, Messages

router = APIRouter(tags=["messages"])


@router.get("/sessions/{session_id}/messages", operation_id="listMessages")
async def list_messages(
    deps: Using,
    session_id: SessionPath,
    before: Annotated[int | None, Query(ge=0, le=MAX_SEQUENCE)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    min_sequence: MinSequence = None,
) -> Messages:
    """The newest page of messages, or the page before message `before`."""
    session = await deps.directory.find(session_id)
    await wait_for(deps.database, max(min_sequence or 0, session.created), deps.settings.projection_wait_s)
    async with deps.database.snapshot() as snapshot:
        return await messages.page(snapshot, session_id, before, limit)


@router.post("/sessions/{session_id}/messages", status_code=202, operation_id="postMessage")
async def post_message(
    deps: Using, session_id: SessionPath, body: PostMessage, key: KeyHeader = None
) -> Accepted:
    """Say something. In a running session it joins the next model call."""
    session = await deps.directory.find(session_id)
    await _check_files(deps, session, body.files)
    event = UserMessage(text=body.text, files=tuple(body.files))
    return await deps.inputs.append_unless_refused(
        session, event, asked(key, body, session_id), await closed(deps, session)
    )


async def _check_files(deps: Deps, session: KnownSession, files: list[str]) -> None:
    found = await asyncio.gather(
        *(deps.log.last(entity_subject(session.agent_id, EntityKind.FILE, name)) for name in files)
    )
    for name, stored in zip(files, found, strict=True):
        if stored is None:
            raise ProblemError(Kind.INVALID_REQUEST, f"agent {session.agent_id} has no file {name}")

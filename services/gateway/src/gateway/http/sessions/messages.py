"""Messages: read a page, say something."""

from typing import Annotated

from fastapi import Query

from agent_contracts.session_events.inputs import FromPrompt
from gateway.http.sessions.session_requests import PostMessage
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import Before, MinSequence, SessionPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.sessions.inputs import Accepted
from gateway.operations.sessions.reading import Page
from gateway.queries.message_views import FoundMessages, Messages

router = resource("messages")


@router.get("/sessions/{session_id}/messages", operation_id="listMessages")
async def list_messages(
    operations: Using,
    session_id: SessionPath,
    before: Before,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    min_sequence: MinSequence = None,
) -> Messages:
    """The newest page of messages, or the page before message `before`."""
    return await operations.reading.messages(session_id, Page(before, limit), min_sequence)


@router.get("/sessions/{session_id}/messages/found", operation_id="findMessages")
async def find_messages(
    operations: Using,
    session_id: SessionPath,
    q: Annotated[str, Query(min_length=1, max_length=200, description="in any case")],
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> FoundMessages:
    """Which messages of the conversation hold a text: the newest of them."""
    return await operations.reading.found(session_id, q, limit)


@router.post("/sessions/{session_id}/messages", status_code=202, operation_id="postMessage")
async def post_message(
    operations: Using, session_id: SessionPath, body: PostMessage, key: KeyHeader = None
) -> Accepted:
    """Say something, or what a prompt of an MCP server says. In a running session it joins the next model
    call."""
    request = asked(key, body, session_id)
    if (chosen := body.prompt) is not None:
        prompt = FromPrompt(chosen.server, chosen.name, chosen.arguments)
        return await operations.prompts.say(session_id, prompt, request, tuple(body.files))
    return await operations.steering.say(session_id, body.text, request, tuple(body.files))

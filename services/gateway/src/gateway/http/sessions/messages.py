"""Messages: read a page, say something."""

from typing import Annotated

import msgspec
import structlog
from fastapi import Path, Query, Response
from starlette.responses import StreamingResponse

from agent_contracts.api.messages import FoundMessage, Messages
from agent_contracts.api.sessions import InputReceipt, PostMessage
from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.address import PATTERN, Address, parse_address
from agent_contracts.session_events.inputs import FromPrompt
from gateway.http.openapi_structs import described_by
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AddressCursor,
    MinSequence,
    SessionPath,
    Using,
    WaitQuery,
)
from gateway.http.wire.resource import resource
from gateway.http.wire.rights import AskingProgram, Program, refused
from gateway.http.wire.streamed import all_pieces
from gateway.operations.operations import Operations
from gateway.operations.sessions.projection_reader import PageBefore
from gateway.operations.sessions.steering import SpeakingProgram

router = resource("messages")
log = structlog.get_logger()

MOST_SHOWN = 2_000_000
"""Bytes of thinking that a page shows."""


@router.get("/sessions/{session_id}/messages", operation_id="listMessages")
async def list_messages(
    operations: Using,
    session_id: SessionPath,
    cursor: AddressCursor,
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
    min_sequence: MinSequence = None,
) -> Messages:
    """The newest page of messages, or the page before it that `cursor` names."""
    return await operations.reading.messages(session_id, PageBefore(cursor, limit), min_sequence)


@router.get("/sessions/{session_id}/messages/found", operation_id="findMessages")
async def find_messages(
    operations: Using,
    session_id: SessionPath,
    q: Annotated[
        str,
        Query(
            min_length=1, max_length=200, description="The words to look for, as `q` of `/sessions` has them."
        ),
    ],
    cursor: AddressCursor,
    limit: Annotated[int, Query(ge=1, le=500, description=LIMIT)] = 200,
) -> Page[FoundMessage]:
    """Which messages of the conversation have all words, oldest first; the first page has the newest."""
    return await operations.reading.found(session_id, q, PageBefore(cursor, limit))


@router.post(
    "/sessions/{session_id}/messages",
    status_code=202,
    response_model=InputReceipt,
    responses={200: described_by("Turn", "With `wait`: what came of the message")},
    operation_id="postMessage",
)
async def post_message(
    operations: Using,
    session_id: SessionPath,
    body: PostMessage,
    program: AskingProgram,
    key: KeyHeader = None,
    wait: WaitQuery = 0,
) -> InputReceipt | Response:
    """Say something, or what a prompt of an MCP server says. In a running session it joins the next model
    call.

    With `wait`, the answer is the turn, once it has ended or waits for a person. Where the turn can't be read
    now, it is the receipt (202): the message is stored all the same."""
    said = await _say(operations, session_id, body, key, program)
    if not wait:
        return said
    try:
        turn = await operations.turns.wait(session_id, Address(said.sequence), wait)
    except Transient as failure:  # the message is in the log: to fail would have it sent again
        log.warning("turn.not_read", session_id=session_id, reason=failure.message)
        return said
    return Response(msgspec.json.encode(turn), media_type="application/json")


async def _say(
    operations: Operations, session_id: SessionId, body: PostMessage, key: str | None, program: Program | None
) -> InputReceipt:
    request = asked(key, body, session_id)
    if body.speaker is not None and program is None:
        raise Rejected(
            "Only a program tells who spoke: leave it out", kind="invalid_request", path="/speaker"
        )
    if (chosen := body.prompt) is not None:
        if program is not None:
            refused(program, "can't choose a prompt: say a text")
        prompt = FromPrompt(chosen.server, chosen.name, chosen.arguments)
        return await operations.prompts.say(session_id, prompt, request, tuple(body.files))
    by = None if program is None else SpeakingProgram(program.name, body.speaker)
    return await operations.steering.say(session_id, body.text, request, tuple(body.files), by)


@router.get(
    "/sessions/{session_id}/messages/{answer}/thinking",
    operation_id="getThinking",
    response_class=Response,
    responses={200: {"description": "The text", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_thinking(
    operations: Using,
    session_id: SessionPath,
    answer: Annotated[
        str, Path(max_length=20, pattern=PATTERN, description="The `address` of the assistant's message.")
    ],
    download: Annotated[
        bool, Query(description="Send all of it as a file, instead of its first 2 MB.")
    ] = False,
) -> Response:
    """Read what the model thought before an answer. A message holds only both ends of a long thinking.

    For an answer that a fork inherited, name the session that gave it: the message's `session_id`.
    """
    thinking = await operations.thinking.find(session_id, parse_address(answer))
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'", "Cache-Control": "private, no-cache"}
    if download:
        headers["Content-Disposition"] = f'attachment; filename="thinking-{answer}.txt"'
    pieces = operations.thinking.read(thinking, None if download else MOST_SHOWN)
    first = await anext(pieces, b"")  # what can't be read is a problem as long as nothing was sent
    return StreamingResponse(
        all_pieces(first, pieces), headers=headers, media_type="text/plain; charset=utf-8"
    )

"""One call of a session: of a tool, or of the model."""

from typing import Annotated

import msgspec
from fastapi import Path, Query, Response

from agent_contracts.api.calls import (
    AppCallResult,
    AppStopped,
    CallForApp,
    CallOfApp,
    ModelCall,
    ReadForApp,
    ToolCall,
)
from agent_contracts.api.wire import Page
from agent_contracts.ids import CallId
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    CallPath,
    Cursor,
    MinSequence,
    SessionPath,
    Using,
)
from gateway.http.wire.resource import resource

router = resource("calls")

_WHICH = "Number of the model call in the session, from 1, or its id."


@router.get("/sessions/{session_id}/calls/{call_id}", operation_id="getCall")
async def get_call(
    operations: Using, session_id: SessionPath, call_id: CallPath, min_sequence: MinSequence = None
) -> ToolCall:
    """A tool call: arguments, result, attempts, runner, timings."""
    return await operations.reading.call(session_id, call_id, min_sequence)


@router.post("/sessions/{session_id}/calls/{call_id}/app-calls", operation_id="callForApp")
async def call_for_app(
    operations: Using, session_id: SessionPath, call_id: CallPath, body: CallForApp, key: KeyHeader = None
) -> AppCallResult:
    """Call a tool for the app that this call brought (MCP Apps): one that its server offers its apps, judged
    by the agent's policy with the server as a source from outside.

    It runs once: under the same key a repeat gets the first call's answer. Where the policy asks, it is
    stopped with `approval_needed`: show the person the tool and its arguments, and call it again with
    `approved`, under another key. The log keeps each call, what was said of it, and what came of it. What the
    server itself says went wrong is `mcp_server_failed`; `outcome_unknown`: it was stopped, or its host died.
    """
    return await operations.app_calls.call(session_id, call_id, body, asked(key, body, session_id))


@router.post("/sessions/{session_id}/calls/{call_id}:read-for-app", operation_id="readForApp")
async def read_for_app(
    operations: Using, session_id: SessionPath, call_id: CallPath, body: ReadForApp, key: KeyHeader = None
) -> AppCallResult:
    """Read a resource of its server for the app that this call brought (`resources/read`), at most 256 KiB of
    it as JSON: judged as the agent's `read_mcp_resource` is, and kept, and all else, as `callForApp` does."""
    return await operations.app_calls.call(session_id, call_id, body, asked(key, body, session_id))


@router.post("/sessions/{session_id}/calls/{call_id}/app-calls:stop", operation_id="stopAppCalls")
async def stop_app_calls(operations: Using, session_id: SessionPath, call_id: CallPath) -> AppStopped:
    """Wait no longer for what the app of this call has in hand, and tell its server. Each such call ends as
    `outcome_unknown`, or, if it wasn't sent yet, as `cancelled`."""
    return await operations.app_calls.stop(session_id, call_id)


@router.get("/sessions/{session_id}/calls/{call_id}/app-calls", operation_id="listAppCalls")
async def list_app_calls(
    operations: Using,
    session_id: SessionPath,
    call_id: CallPath,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
) -> Page[CallOfApp]:
    """A page of the calls that the app of this call made, newest first, with all that the log has of them:
    what it called, what the policy said, and how it ended. What was refused before the policy was asked isn't
    among them."""
    return await operations.app_calls.made(session_id, call_id, cursor, limit)


@router.get(
    "/sessions/{session_id}/model-calls/{call}", operation_id="getModelCall", response_model=ModelCall
)
async def get_model_call(
    operations: Using,
    session_id: SessionPath,
    call: Annotated[
        str,
        Path(pattern="^([1-9][0-9]{0,8}|[A-Za-z][A-Za-z0-9_-]{0,63})$", description=_WHICH),
    ],
) -> Response:
    """Exactly what the model saw and said."""
    which = int(call) if call.isdecimal() else CallId(call)
    shown = await operations.folds.model_call(session_id, which)
    return Response(msgspec.json.encode(shown), media_type="application/json")

"""Requests of the protocol's handshake era (up to 2025-11-25), each answered for itself.

Such a client says in its first request what it can do, and in the others no more. A session's id holds what
counts of it, so any gateway knows it, and none keeps anything.
"""

import asyncio
import json
import secrets
from typing import Any, Protocol

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_connection
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.shared.transport_context import TransportContext
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.live.client_answers import ClientAnswers
from gateway.mcp.client import McpClient

ANSWERED_WITHIN_S = 600
"""A question that nobody has answered by then counts as cancelled: the call's result says what waits."""
_FORMS, _PLAIN = "forms", "plain"


class _Writes(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


class ClientElicitation:
    """Asks the client in the middle of its call, on the stream that the result will come by."""

    def __init__(self, client: McpClient, answers: ClientAnswers) -> None:
        self._client = client
        self._answers = answers
        self._writes: _Writes | None = None
        self.has_forms = False

    def begin(self, session_id: str | None, writes: _Writes) -> None:
        """The request is answered by this stream. `has_forms`: its client draws them."""
        self.has_forms = session_id is not None and session_id.startswith(f"{_FORMS}.")
        self._writes = writes

    async def ask(self, request_id: types.RequestId | None, asked: types.InputRequest) -> types.ElicitResult:
        """What a person filled in. Cancelled where the client can't ask, or nothing comes back in time."""
        if self._writes is None or not isinstance(asked, types.ElicitRequest):
            return types.ElicitResult(action="cancel")
        question = f"q{secrets.token_urlsafe(18)}"
        sent = types.JSONRPCRequest(
            jsonrpc="2.0",
            id=question,
            method=asked.method,
            params=asked.params.model_dump(mode="json", by_alias=True, exclude_none=True),
        )
        async with self._answers.awaiting(self._client.name, question) as answer:
            await self._writes.send(
                SessionMessage(sent, ServerMessageMetadata(related_request_id=request_id))
            )
            try:
                async with asyncio.timeout(ANSWERED_WITHIN_S):
                    return _result(await answer)
            except TimeoutError:
                return types.ElicitResult(action="cancel")


async def serve(  # noqa: PLR0913 — a request of ASGI, its body, and who answers it
    server: "Server[dict[str, object]]",
    asking: ClientElicitation,
    body: bytes,
    scope: Scope,
    receive: Receive,
    send: Send,
) -> None:
    """Answer one request, whose body was read: `receive` gives it again."""
    headers = Headers(scope=scope)
    session_id = headers.get(MCP_SESSION_ID_HEADER)
    if session_id is not None and session_id.partition(".")[0] not in (_FORMS, _PLAIN):
        await Response("No such session: begin a new one", status_code=404)(scope, receive, send)
        return
    session_id = _begun(body) or session_id
    transport = StreamableHTTPServerTransport(mcp_session_id=session_id)
    async with (
        server.lifespan(server) as state,
        anyio.create_task_group() as tasks,
        transport.connect() as streams,
    ):
        read, write = streams
        asking.begin(session_id, write)
        dispatcher: JSONRPCDispatcher[TransportContext] = JSONRPCDispatcher(
            read,
            write,
            inline_methods=frozenset({"initialize"}),
            transport_builder=lambda _: TransportContext(kind="streamable-http", can_send_request=False),
        )
        version = headers.get(MCP_PROTOCOL_VERSION_HEADER, types.DEFAULT_NEGOTIATED_VERSION)
        connection = Connection.from_envelope(version, None, None)

        async def answered() -> None:
            await serve_connection(server, dispatcher, connection=connection, lifespan_state=state)

        tasks.start_soon(answered)
        try:
            await transport.handle_request(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await transport.terminate()
            tasks.cancel_scope.cancel()


def _begun(body: bytes) -> str | None:
    """The id of a session that begins with this request; None where none does."""
    try:
        message = json.loads(body)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return None
    return f"{_FORMS if _draws_forms(message.get('params')) else _PLAIN}.{secrets.token_urlsafe(16)}"


def _draws_forms(params: Any) -> bool:
    match params:
        case {"capabilities": {"elicitation": dict(declared)}}:
            return not declared or "form" in declared
        case _:
            return False


def _result(answer: bytes) -> types.ElicitResult:
    """Cancelled where it is an error, or no answer to a form."""
    try:
        return types.ElicitResult.model_validate(json.loads(answer).get("result"), by_name=False)
    except ValidationError:
        return types.ElicitResult(action="cancel")

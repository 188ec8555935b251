"""Calls of foreign tools by apps (MCP Apps): of the tools of their own server, before a person's eyes."""

from collections.abc import Mapping

import msgspec

from agent_contracts.api.calls import AppCallResult, AppStopped, CallForApp, CallOfApp, ReadForApp
from agent_contracts.api.wire import Page
from agent_contracts.entities.mcp_tools import READ_MCP_RESOURCE
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, ToolError, Transient
from agent_contracts.event import Event
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import placed, source
from agent_contracts.questions.code_calls import CodeCall, OfApp, StopCodeCall
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import RunsOn
from agent_domain.mcp.offered_tools import escaped, offered_name, server_in
from agent_domain.sessions.directory import KnownSession
from agent_platform.log.port import Log
from agent_platform.log.result_offers import request_of, result_of
from agent_platform.process.clock import Clock
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import McpHosts
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import app_calls, cursors

LARGEST_ARGUMENTS = 256 * 1024
"""Bytes of JSON."""
_KINDS: Mapping[ErrorKind, str] = {
    ErrorKind.NOT_FOUND: "not_found",
    ErrorKind.INVALID_ARGUMENTS: "invalid_request",
    ErrorKind.TOO_LARGE: "too_large",
    ErrorKind.REFUSED: "not_permitted",
    ErrorKind.DISABLED_TOOL: "conflict",
    ErrorKind.NOT_AVAILABLE: "conflict",
    ErrorKind.OUTCOME_UNKNOWN: "outcome_unknown",
}


class SessionAppCalls:
    """Has them made. The host of the server judges and records them."""

    def __init__(self, log: Log, clock: Clock, projected: ProjectedSessions, hosts: McpHosts) -> None:
        self._log = log
        self._clock = clock
        self._projected = projected
        self._directory = projected.directory
        self._hosts = hosts

    async def made(
        self, session_id: SessionId, call_id: CallId, cursor: str | None, limit: int
    ) -> Page[CallOfApp]:
        """What the app that this call brought called, newest first, with all that the log has of it now."""
        after = cursors.read(cursor)
        async with self._projected.of_session(session_id, await self._log.last_sequence()) as snapshot:
            return await app_calls.page(snapshot, session_id, call_id, after, limit)

    async def call(
        self,
        session_id: SessionId,
        call_id: CallId,
        wanted: CallForApp | ReadForApp,
        request: IdempotentRequest,
    ) -> AppCallResult:
        """Call a tool of the server whose app the call brought, or read a resource there, once.

        `Rejected`: `not_found` (there is no such app, or no tool for it), `session_closed`, `not_permitted`
        by the policy, `approval_needed` where a person has to allow exactly this first, `conflict` where the
        server is gone or says something else now, `mcp_server_failed`, `outcome_unknown` where it was
        stopped, or its host died.
        """
        session = await self._directory.find(session_id)
        if (refusal := await self._directory.refusal(session)) is not None:
            raise refusal
        if len(msgspec.json.encode(wanted)) > LARGEST_ARGUMENTS:
            most = f"An app may give a tool {LARGEST_ARGUMENTS // 1024} KiB of arguments at most"
            raise Rejected(most, kind="too_large", path="/arguments")
        server, brought_at = await self._app(session, call_id)
        tool, arguments = _asked_for(server, wanted)
        own = request.derived_id("a", session_id, call_id) or self._clock.new_id("a")
        asked = CodeCall(
            agent_id=session.agent_id,
            session_id=session_id,
            call_id=CallId(own),
            number=0,
            sequence=await self._log.last_sequence(),
            attempt=1,
            tool=tool,
            arguments=arguments,
            outside=placed((source("mcp", server),), str(brought_at), session_id),
            of_app=OfApp(call_id, request.digest, wanted.approved),
        )
        answer = await self._ended(asked)
        if answer.request is not None:
            request.check_same(answer.request)
        if answer.error is not None:
            raise _failure(answer.error, wanted.tool if isinstance(wanted, CallForApp) else wanted.uri)
        return AppCallResult(result=answer.result)

    async def stop(self, session_id: SessionId, call_id: CallId) -> AppStopped:
        """Nobody waits any more for what the app of this call has in hand. What was sent may be done."""
        await self._directory.find(session_id)
        await self._hosts.stop(StopCodeCall(session_id, call_id, number=0))
        return AppStopped(call_id=call_id)

    async def _ended(self, asked: CodeCall) -> ToolAnswer:
        """How it ended. After a host that fell silent another is asked, which doesn't send it again."""
        try:
            return await self._hosts.call(asked)
        except Transient as failure:
            if failure.kind != "timeout":
                raise
        return await self._hosts.call(asked)

    async def _app(self, session: KnownSession, call_id: CallId) -> tuple[str, int]:
        """The server whose app the call brought, and the event that did."""
        asked = await request_of(self._log, session.key, call_id, RunsOn.MCP)
        if asked is not None:
            ended = await result_of(self._log, session.key, call_id, after=asked.sequence)
            server = server_in(asked.event.tool)
            if server is not None and ended is not None and _brought_app(ended.event):
                return server, ended.sequence
        raise Rejected(f"Call {call_id} of session {session.session_id} brought no app", kind="not_found")


def _asked_for(server: str, wanted: CallForApp | ReadForApp) -> tuple[str, dict[str, Json]]:
    """The tool as its host knows it, and its arguments: whatever an app names, its own server is asked."""
    match wanted:
        case CallForApp(tool=tool, arguments=arguments):
            return offered_name(server, tool), arguments
        case ReadForApp(uri=uri):
            return READ_MCP_RESOURCE, {"server": server, "uri": uri}


def _brought_app(event: Event) -> bool:
    result = event.result if isinstance(event, ToolCallCompleted) else None
    return isinstance(result, dict) and bool(result.get("app"))


def _failure(error: ToolError, what: str) -> Failure:
    message = f"The app's call of {escaped(what[:200])} gave nothing: {escaped(error.message)}"
    match error.kind:
        case ErrorKind.APPROVAL_NEEDED:
            return Rejected(message, kind="approval_needed", details={"asked": error.details})
        case ErrorKind.TOO_OFTEN:
            return Rejected(message, kind="rate_limited")
        case ErrorKind.INTERNAL:
            return Permanent(message, kind="internal")
        case ErrorKind.TIMEOUT if error.retryable:
            return Transient(message)
        case _:
            return Rejected(message, kind=_KINDS.get(error.kind, "mcp_server_failed"))

"""Calls of tools: checked, run, and answered in the words of MCP."""

import time
from typing import Any

import mcp_types as types
import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agent_contracts.entities.chosen_tools import REPEAT_KEY
from agent_contracts.errors import Failure, Rejected
from agent_domain.mcp_clients.tokens import McpScope
from gateway.mcp.client import McpClient
from gateway.mcp.contents import contents
from gateway.mcp.pieces import PIECE, result, whole_or_piece
from gateway.mcp.tool import Answer, Call
from gateway.mcp.tools import BY_NAME
from gateway.operations.asked import asked
from gateway.operations.operations import Operations

log = structlog.get_logger()


LONGEST_KEY = 200


class Calling:
    """Runs the calls of one client."""

    def __init__(self, operations: Operations, client: McpClient) -> None:
        self._operations = operations
        self._client = client

    async def call(
        self, context: "ServerRequestContext[dict[str, object]]", params: types.CallToolRequestParams
    ) -> Answer:
        """Answer a call. What goes wrong is a result that a model can act on; an unknown tool is an error
        of the protocol, and so is one for which the token has no scope."""
        began = time.monotonic()
        kind = None
        try:
            return await self._run(context, params)
        except Failure as failure:
            kind = failure.kind
            return _failed(failure)
        finally:
            ms = round((time.monotonic() - began) * 1000)
            log.info("mcp.called", client=self._client.name, tool=params.name[:64], ms=ms, error=kind)

    async def _run(
        self, context: "ServerRequestContext[dict[str, object]]", params: types.CallToolRequestParams
    ) -> Answer:
        await self._operations.agents.require(self._client.agent_id)
        tool = BY_NAME.get(params.name)
        arguments = params.arguments or {}
        if tool is None:
            return await self._run_own(params, arguments)
        if tool.scope not in self._client.scopes:
            raise _unknown(params.name)
        try:
            args = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return _invalid(error)
        call = Call(
            self._operations,
            self._client,
            tell=_Telling(context).tell,
            can_elicit=_can_elicit(context),
            state=params.request_state,
            answers=dict(params.input_responses or {}),
        )
        return await tool.run(call, args)

    async def _run_own(self, params: types.CallToolRequestParams, arguments: dict[str, Any]) -> Answer:
        name, exposed = params.name, self._operations.exposed
        offered = McpScope.TOOLS in self._client.scopes and any(
            one.is_tool and one.name == name for one in await exposed.offered(self._client.agent_id)
        )
        if not offered:
            raise _unknown(name)
        request = asked(_key_of(params, self._client.name), arguments)
        value = await exposed.run(self._client.agent_id, self._client.name, name, arguments, request)
        if (parts := contents(value)) is not None:
            return types.CallToolResult(content=parts)
        if isinstance(value, str) and len(value) <= PIECE:
            return result(value, {"result": value})
        return whole_or_piece(value if isinstance(value, dict) else {"result": value}, 0)


class _Telling:
    """Progress: each line counts one more."""

    def __init__(self, context: "ServerRequestContext[dict[str, object]]") -> None:
        self._session = context.session
        self._told = 0

    async def tell(self, line: str) -> None:
        self._told += 1
        await self._session.report_progress(float(self._told), message=line)


def _key_of(params: types.CallToolRequestParams, client: str) -> str | None:
    """The key by which this client says that it repeats a call; None where it doesn't say."""
    key = (params.meta or {}).get(REPEAT_KEY)
    if key is None:
        return None
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY:
        raise Rejected(f"{REPEAT_KEY} is a text of 1 to {LONGEST_KEY} characters", kind="invalid_arguments")
    return f"{client}/{key}"


def _can_elicit(context: "ServerRequestContext[dict[str, object]]") -> bool:
    """Whether the client draws forms, and brings their answers back with the call itself."""
    declared = context.session.client_capabilities
    elicitation = declared.elicitation if declared is not None else None
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS or elicitation is None:
        return False
    return elicitation.form is not None or elicitation.url is None


def _unknown(name: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"There is no tool {name[:64]!r} that this token may use")


def _invalid(error: ValidationError) -> types.CallToolResult:
    """What of the arguments doesn't fit, without echoing them."""
    told = []
    for one in error.errors(include_url=False, include_input=False, include_context=False)[:10]:
        where = "/" + "/".join(str(part)[:100] for part in one["loc"])
        told.append({"path": where, "message": one["msg"]})
    text = "; ".join(f"{one['path']}: {one['message']}" for one in told)
    return _error("invalid_arguments", text, {"errors": told})


def _failed(failure: Failure) -> types.CallToolResult:
    details = {name: value for name, value in (failure.details or {}).items() if name == "path"}
    return _error(failure.kind, failure.message, details)


def _error(kind: str, message: str, more: dict[str, Any]) -> types.CallToolResult:
    structured = {"error": {"kind": kind, "message": message, **more}}
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=f"{kind}: {message}")]
    return types.CallToolResult(content=content, structured_content=structured, is_error=True)

"""Calls of tools: checked, run, and answered in the words of MCP."""

import time
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import msgspec
import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.entities.chosen_tools import REPEAT_KEY
from agent_contracts.errors import Failure, Rejected
from agent_contracts.questions.function_calls import Progress
from gateway.mcp.client import McpClient
from gateway.mcp.contents import contents
from gateway.mcp.elicitations import ELICITATIONS, MOST_QUESTIONS, answers_to_tool, asked_by_tool
from gateway.mcp.handshake import ClientElicitation
from gateway.mcp.pieces import PIECE, result, whole_or_piece
from gateway.mcp.tool import Answer, McpCall
from gateway.mcp.tools import BY_NAME
from gateway.operations.idempotency import asked
from gateway.operations.operations import Operations
from gateway.queries.age import age_of_reads

log = structlog.get_logger()


LONGEST_KEY = 200


class McpToolCalls:
    """Runs the calls of one client."""

    def __init__(self, operations: Operations, client: McpClient, asking: ClientElicitation) -> None:
        self._operations = operations
        self._client = client
        self._asking = asking

    async def call(
        self, context: "ServerRequestContext[dict[str, object]]", params: types.CallToolRequestParams
    ) -> Answer:
        """Answer a call. What goes wrong is a result that a model can act on; an unknown tool is an error
        of the protocol, and so is one for which the token has no right.

        What it asks is the result where the client's era has that, else it is asked within the call.
        """
        answer = await self._called(context, params)
        for _ in range(MOST_QUESTIONS):
            if not self._asking.has_forms or not isinstance(answer, types.InputRequiredResult):
                return answer
            asked = answer.input_requests or {}
            brought = {name: await self._asking.ask(context.request_id, one) for name, one in asked.items()}
            again = {"request_state": answer.request_state, "input_responses": brought}
            params = params.model_copy(update=again)
            answer = await self._called(context, params)
        message = f"More than {MOST_QUESTIONS} questions were asked in one call"
        return _error("too_large", message, {})

    async def _called(
        self, context: "ServerRequestContext[dict[str, object]]", params: types.CallToolRequestParams
    ) -> Answer:
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
            return await self._run_own(context, params, arguments)
        if tool.right not in self._client.rights:
            raise _unknown(params.name)
        try:
            args = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return _invalid(error)
        call = McpCall(
            self._operations,
            self._client,
            tell=_Telling(context).tell,
            can_elicit=self._can_elicit(context),
            state=params.request_state,
            answers=dict(params.input_responses or {}),
        )
        with age_of_reads() as age:
            answer = await tool.run(call, args)
        if isinstance(answer, types.CallToolResult) and (told := age.sentence()):
            answer.content.append(types.TextContent(type="text", text=told))
        return answer

    def _can_elicit(self, context: "ServerRequestContext[dict[str, object]]") -> bool:
        return self._asking.has_forms or _brings_answers(context)

    async def _run_own(
        self,
        context: "ServerRequestContext[dict[str, object]]",
        params: types.CallToolRequestParams,
        arguments: dict[str, Any],
    ) -> Answer:
        name, exposed = params.name, self._operations.exposed
        offered = ProgramRight.TOOLS in self._client.rights and any(
            one.is_tool and one.name == name for one in await exposed.offered(self._client.agent_id)
        )
        if not offered:
            raise _unknown(name)
        answers = answers_to_tool(params.request_state, params.input_responses or {})
        if answers:
            arguments = {**arguments, ELICITATIONS: answers}
        request = asked(_key_of(params, self._client.name, len(answers)), arguments)
        of, tell = (self._client.agent_id, self._client.name), _Telling(context).progress
        value = await exposed.run(*of, name, arguments, request, tell)
        if forms := asked_by_tool(value):
            if self._can_elicit(context):
                state = msgspec.json.encode(answers).decode()
                return types.InputRequiredResult(input_requests={**forms}, request_state=state)
            return result(_asked_in_words(name, forms), value)
        if (parts := contents(value)) is not None:
            return types.CallToolResult(content=parts)
        if isinstance(value, str) and len(value) <= PIECE:
            return result(value, {"result": value})
        return whole_or_piece(value if isinstance(value, dict) else {"result": value}, 0)


class _Telling:
    """Progress: of lines each counts one more; what code tells is told as it is, where it is more."""

    def __init__(self, context: "ServerRequestContext[dict[str, object]]") -> None:
        self._session = context.session
        self._told = -1.0

    async def tell(self, line: str) -> None:
        await self.progress(Progress(max(self._told, 0.0) + 1, message=line))

    async def progress(self, told: Progress) -> None:
        if told.done > self._told:
            self._told = told.done
            await self._session.report_progress(told.done, told.total, told.message)


def _key_of(params: types.CallToolRequestParams, client: str, answered: int) -> str | None:
    """The key by which this client says that it repeats a call; None where it doesn't say. With each answer
    to the tool the call is another one."""
    key = (params.meta or {}).get(REPEAT_KEY)
    if key is None:
        return None
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY:
        raise Rejected(f"{REPEAT_KEY} is a text of 1 to {LONGEST_KEY} characters", kind="invalid_arguments")
    return f"{client}/{key}/{answered}" if answered else f"{client}/{key}"


def _brings_answers(context: "ServerRequestContext[dict[str, object]]") -> bool:
    """Whether the client draws forms, and brings their answers back with the call itself (2026-07-28)."""
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


def _asked_in_words(tool: str, forms: Mapping[str, types.ElicitRequest]) -> str:
    """For a client that draws no forms, whose model may answer."""
    asked = [f"{name}: {one.params.message}" for name, one in forms.items()]
    how = f"Call {tool} again with the same arguments and {ELICITATIONS}"
    return "\n".join([*asked, f'{how}: {{NAME: {{"action": "accept", "content": {{...}}}}}}'])

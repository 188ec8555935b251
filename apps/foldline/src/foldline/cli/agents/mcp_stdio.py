"""`foldline mcp serve`: the gateway's `/mcp` for clients that start a program and use stdin and stdout."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, TypeVar, cast

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from agent_contracts.api.mcp_errors import error_code
from agent_contracts.entities.chosen_tools import REPEAT_KEY
from agent_contracts.errors import Rejected
from agent_contracts.json_lines import one_line_text
from foldline.settings import up_settings
from foldline.supervisor.announcement import read_announcement

TOKEN = "FOLDLINE_MCP_TOKEN"
_STDOUT, _STDERR = 1, 2
MOST_QUESTIONS = 20
"""Questions within one call: past these the last result says what waits."""
_TIMEOUT = httpx2.Timeout(30, connect=5, read=700)
"""Seconds; an agent may be waited for longer than any other answer takes."""

_R = TypeVar("_R", bound=types.Result)
_Context = ServerRequestContext[dict[str, Any], Any]
_Page = types.PaginatedRequestParams | None


def serve_stdio() -> None:
    """Serve until stdin ends. `Rejected` where there is no Foldline, or no program token."""
    running = read_announcement(up_settings().data_dir)
    url = os.environ.get("FOLDLINE_URL") or (running.url if running else None)
    token = os.environ.get(TOKEN)
    if not token:
        raise Rejected(
            f"Set {TOKEN} to a program token: foldline program-tokens create NAME makes one",
            kind="unauthorized",
        )
    if url is None:
        raise Rejected("No Foldline is running. Try: foldline up (or set FOLDLINE_URL)", kind="not_running")
    anyio.run(_serve, bridge(url.rstrip("/"), token))


async def _serve(server: "Server[dict[str, Any]]") -> None:
    private = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)  # what anything prints must not stand between the messages
    with os.fdopen(private, "w", encoding="utf-8", newline="\n") as out:
        lines = cast(anyio.AsyncFile[str], JsonLineWriter(anyio.wrap_file(out)))
        async with stdio_server(stdout=lines) as (read, write):
            await server.run(read, write, server.create_initialization_options())


class JsonLineWriter:
    """What is written to, a message of JSON at a time, so that each is one line to every reader."""

    def __init__(self, out: anyio.AsyncFile[str]) -> None:
        self._out = out

    async def write(self, line: str) -> int:
        """Write it."""
        return await self._out.write(one_line_text(line.removesuffix("\n")) + "\n")

    async def flush(self) -> None:
        """What was written is on its way."""
        await self._out.flush()


def bridge(url: str, token: str) -> "Server[dict[str, Any]]":
    """A server that hands everything on to a gateway, one request for each. A question comes back as what
    this client's era has for it: an answer that asks for input, or a request within the call."""

    async def asked(ask: Callable[[Client], Awaitable[_R]], *, elicits: bool = False) -> _R:
        async with _upstream(url, token, elicits=elicits) as client:
            try:
                return await ask(client)
            except MCPError as error:
                refused = error  # raised here it would come out in a group
        raise refused

    async def list_tools(context: _Context, params: _Page) -> types.ListToolsResult:
        return await asked(lambda client: client.list_tools())

    async def call_tool(
        context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await asked(lambda client: _call(client, context, params), elicits=_elicits(context))

    async def list_resources(context: _Context, params: _Page) -> types.ListResourcesResult:
        return await asked(lambda client: client.list_resources(cursor=_cursor(params)))

    async def list_templates(context: _Context, params: _Page) -> types.ListResourceTemplatesResult:
        return await asked(lambda client: client.list_resource_templates(cursor=_cursor(params)))

    async def read_resource(
        context: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            return await asked(lambda client: client.read_resource(params.uri))
        except MCPError as error:
            told = error.data if isinstance(error.data, dict) else {}
            older = context.protocol_version not in MODERN_PROTOCOL_VERSIONS
            raise MCPError(error_code(error.code, told, older=older), error.message, error.data) from error

    async def list_prompts(context: _Context, params: _Page) -> types.ListPromptsResult:
        return await asked(lambda client: client.list_prompts(cursor=_cursor(params)))

    async def get_prompt(context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await asked(lambda client: client.get_prompt(params.name, params.arguments))

    async def complete(context: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        typed, filled = params.argument.model_dump(), params.context.arguments if params.context else None
        return await asked(lambda client: client.complete(params.ref, typed, filled))

    return Server(
        "foldline",
        version=version("foldline"),
        title="Foldline",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )


def _cursor(params: _Page) -> str | None:
    return params.cursor if params is not None else None


async def _call(
    client: Client, context: _Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    answers, state = params.input_responses, params.request_state
    for _ in range(MOST_QUESTIONS):
        result = await client.session.call_tool(
            params.name,
            params.arguments,
            progress_callback=context.session.report_progress,
            input_responses=answers,
            request_state=state,
            meta=_meta(params),
            allow_input_required=True,
        )
        if isinstance(result, types.CallToolResult) or context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return result
        state = result.request_state
        answers = {
            name: await _asked(context, asked) for name, asked in (result.input_requests or {}).items()
        }
    raise MCPError(types.INTERNAL_ERROR, f"The agent asked more than {MOST_QUESTIONS} questions in one call")


def _meta(params: types.CallToolRequestParams) -> types.RequestParamsMeta | None:
    """What of it is meant for the gateway; the rest is between the client and this program."""
    given: dict[str, object] = {**(params.meta or {})}
    if REPEAT_KEY not in given:
        return None
    return cast(types.RequestParamsMeta, {REPEAT_KEY: given[REPEAT_KEY]})


async def _asked(context: _Context, asked: types.InputRequest) -> types.ElicitResult:
    if not isinstance(asked, types.ElicitRequest) or not isinstance(
        asked.params, types.ElicitRequestFormParams
    ):
        return types.ElicitResult(action="cancel")
    form = asked.params
    return await context.session.elicit_form(form.message, form.requested_schema, context.request_id)


def _elicits(context: _Context) -> bool:
    declared = context.session.client_capabilities
    return declared is not None and declared.elicitation is not None


@asynccontextmanager
async def _upstream(url: str, token: str, *, elicits: bool) -> AsyncIterator[Client]:
    """The gateway, for one request. Nothing is sent before that: the version is known."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT, trust_env=False) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        callback = _never if elicits else None  # declares that the client draws forms
        async with Client(transport, mode=LATEST_MODERN_VERSION, elicitation_callback=callback) as client:
            yield client


async def _never(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    raise RuntimeError("what waits for input is handed on, not answered here")

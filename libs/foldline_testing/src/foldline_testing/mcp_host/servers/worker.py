"""A server that works on a call for longer than it stays: it answers with a task, which is asked for."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    EmptyResult,
    InputRequests,
    InputResponses,
    RequestParams,
    TextContent,
)

from mcp_host.calling.tasks import EXTENSION, CreatedTask, FoundTask

_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@dataclass
class Work:
    """One task. It asks for a city first, if it `asks`."""

    takes_s: float
    asks: bool = False
    fails: bool = False
    began: float = field(default_factory=time.monotonic)
    city: str = ""
    cancelled: bool = False

    @property
    def is_over(self) -> bool:
        """Whether its time has passed."""
        return time.monotonic() - self.began >= self.takes_s


class _Params(RequestParams):
    task_id: str
    input_responses: InputResponses | None = None


class Tasks(Extension):
    """The tasks of one server, and how often each was `looked` after."""

    identifier = EXTENSION

    def __init__(self, interval_ms: int | None = 500, ttl_ms: int | None = None) -> None:
        self.work: dict[str, Work] = {}
        self.looked: list[float] = []
        self._interval_ms = interval_ms
        self._ttl_ms = ttl_ms

    def methods(self) -> Sequence[MethodBinding]:
        """See `Extension`."""
        return (
            MethodBinding("tasks/get", _Params, self._get),
            MethodBinding("tasks/update", _Params, self._update),
            MethodBinding("tasks/cancel", _Params, self._cancel),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """See `Extension`."""
        if params.name != "work":
            return await call_next(ctx)
        given = params.arguments or {}
        task_id = f"t{len(self.work)}"
        self.work[task_id] = Work(
            given.get("seconds", 0), given.get("asks", False), given.get("fails", False)
        )
        return CreatedTask(
            task_id=task_id,
            status_message="begun",
            ttl_ms=self._ttl_ms,
            poll_interval_ms=self._interval_ms,
        )

    async def _get(self, ctx: Any, params: Any) -> FoundTask:
        self.looked.append(time.monotonic())
        work = self._of(params)
        common: dict[str, Any] = {"task_id": params.task_id, "poll_interval_ms": self._interval_ms}
        if work.cancelled:
            return FoundTask(status="cancelled", **common)
        if work.asks and not work.city:
            wanted = ElicitRequestFormParams(message="Where to?", requested_schema=_SCHEMA)
            asked: InputRequests = {"where": ElicitRequest(params=wanted)}
            return FoundTask(status="input_required", input_requests=asked, **common)
        if not work.is_over:
            return FoundTask(status="working", status_message="half of it", **common)
        if work.fails:
            return FoundTask(status="failed", error={"code": -1, "message": "it broke"}, **common)
        said = CallToolResult(content=[TextContent(text=f"worked {work.city}".strip())])
        result = said.model_dump(mode="json", by_alias=True, exclude_none=True)
        return FoundTask(status="completed", result=result, **common)

    async def _update(self, ctx: Any, params: Any) -> EmptyResult:
        work = self._of(params)
        answer = (params.input_responses or {})["where"]
        work.city = (answer.content or {}).get("city", answer.action)
        return EmptyResult()

    async def _cancel(self, ctx: Any, params: Any) -> EmptyResult:
        self._of(params).cancelled = True
        return EmptyResult()

    def _of(self, params: Any) -> Work:
        if params.task_id not in self.work:
            raise MCPError(INVALID_PARAMS, "no such task")
        return self.work[params.task_id]


def worker(tasks: Tasks) -> MCPServer:
    """The server."""
    server = MCPServer("worker", version="1", extensions=[tasks])

    @server.tool(structured_output=False)
    def work(seconds: float = 0, asks: bool = False, fails: bool = False) -> str:
        """Work for so long."""
        return "nobody calls this"

    return server

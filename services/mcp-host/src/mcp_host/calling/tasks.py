"""The extension `io.modelcontextprotocol/tasks` of protocol 2026-07-28: a server may answer a call with the
handle of work that takes longer, which is then asked for."""

from typing import Any, Literal

import msgspec
from mcp import Client
from mcp.client import ClientExtension
from mcp.client.extension import ClaimContext, ResultClaim
from mcp_types import (
    CallToolResult,
    EmptyResult,
    InputRequests,
    InputResponses,
    Request,
    RequestParams,
    Result,
)

from agent_contracts.errors import ErrorKind, Permanent
from mcp_host import limits

EXTENSION = "io.modelcontextprotocol/tasks"

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]


class CreatedTask(Result):
    """The answer to a call whose work goes on."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: Status = "working"
    status_message: str | None = None
    ttl_ms: int | None = None
    poll_interval_ms: int | None = None


class FoundTask(Result):
    """How it stands."""

    result_type: Literal["complete"] = "complete"
    task_id: str
    status: Status
    status_message: str | None = None
    ttl_ms: int | None = None
    poll_interval_ms: int | None = None
    input_requests: InputRequests | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class _TaskParams(RequestParams):
    task_id: str


class _UpdateParams(_TaskParams):
    input_responses: InputResponses


class _Get(Request[_TaskParams, Literal["tasks/get"]]):
    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: _TaskParams


class _Update(Request[_UpdateParams, Literal["tasks/update"]]):
    name_param = "taskId"
    method: Literal["tasks/update"] = "tasks/update"
    params: _UpdateParams


class _Cancel(Request[_TaskParams, Literal["tasks/cancel"]]):
    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: _TaskParams


class Tasks(ClientExtension):
    """Says that tasks are taken. Whoever calls a tool takes the handle: it must be in the log first."""

    identifier = EXTENSION

    def claims(self) -> tuple[ResultClaim[CreatedTask], ...]:
        """See `ClientExtension`."""
        return (ResultClaim(result_type="task", model=CreatedTask, resolve=_not_here),)


async def _not_here(created: CreatedTask, context: ClaimContext) -> CallToolResult:
    raise Permanent(f"the task of {context.tool_name} was left: nobody would look after it", kind="internal")


async def found(client: Client, task_id: str) -> FoundTask:
    """How a task stands."""
    return await client.session.send_request(_Get(params=_TaskParams(task_id=task_id)), FoundTask)


async def update(client: Client, task_id: str, responses: InputResponses) -> None:
    """Give it what it asked for; what it has already, it ignores."""
    params = _UpdateParams(task_id=task_id, input_responses=responses)
    await client.session.send_request(_Update(params=params), EmptyResult)


async def cancel(client: Client, task_id: str) -> None:
    """Tell that nobody wants it any more. Whether it stops is up to the server."""
    await client.session.send_request(_Cancel(params=_TaskParams(task_id=task_id)), EmptyResult)


class WatchedTask(msgspec.Struct, frozen=True):
    """A task whose handle stands in the log. It is looked after until a time (RFC 3339 in UTC); so many
    `looks` were had, and what it asked by these keys was answered."""

    id: str
    until: str
    looks: int = 0
    answered: tuple[str, ...] = ()


def interval_s(task: CreatedTask | FoundTask) -> float:
    """Seconds until it is looked after again: as the server likes it, within bounds."""
    wanted = limits.LOOK_AGAIN_S if task.poll_interval_ms is None else task.poll_interval_ms / 1000
    return min(max(wanted, limits.SOONEST_LOOK_S), limits.LATEST_LOOK_S)


def pause_s(task: CreatedTask | FoundTask | None, looks: int) -> float:
    """Seconds without a look, the longer the more often there was one."""
    wanted = limits.LOOK_AGAIN_S if task is None else interval_s(task)
    return min(max(wanted, limits.LOOK_AGAIN_S * looks), limits.LATEST_LOOK_S)


def life_s(task: CreatedTask) -> float:
    """Seconds for which it is looked after."""
    return limits.TASK_S if task.ttl_ms is None else min(max(task.ttl_ms / 1000, 1.0), limits.TASK_S)


def required_id(task: CreatedTask) -> str:
    """Its id; `Permanent` for one that can't be kept."""
    if not task.task_id or len(task.task_id) > limits.TASK_ID:
        raise Permanent("the server's task has no id that can be kept", kind=ErrorKind.OUTCOME_UNKNOWN)
    return task.task_id

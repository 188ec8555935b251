"""Every kind of error that a tool call can end in, each as a call ends in it."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Rejected, ToolError, Transient
from agent_contracts.ids import CallId
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.questions.generation import GenerationResult
from agent_contracts.tool_spec import Effect
from agent_tools.context import CallContext
from agent_tools.tool import Arguments, Result, tool
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT, delivery
from foldline_testing.tool_runner.world import World
from tool_runner.code.own_tools import CodeRunner

OF_OTHERS = {
    ErrorKind.MALFORMED_ARGUMENTS,
    ErrorKind.REFUSED,
    ErrorKind.CANCELLED,
    ErrorKind.EXPIRED,
    ErrorKind.APPROVAL_NEEDED,
    ErrorKind.TOO_OFTEN,
    ErrorKind.WRITTEN_AS_TEXT,
}
"""The model caller's are the first two and the last two (`test_resolve.py`, `test_gate.py`, `test_budget.py`,
`test_written_calls.py`), the engine's the next two (`test_timers.py`). The other is what code is told
(`sandbox/test_second_gate.py`)."""
CODE = {"name": "t", "description": "d", "parameter_schema": {"type": "object"}, "code": "return 1"}


class Nothing(Arguments):
    """Nothing."""


class Never(Result):
    """There is none."""


@tool("slow", family="test", effect=Effect.PURE, timeout_s=0.05)
async def slow(args: Nothing, call: CallContext) -> Never:
    """Wait to be cancelled."""
    await call.cancelled.wait()
    return Never()


@tool("broken", family="test", effect=Effect.EXTERNAL)
async def broken(args: Nothing) -> Never:
    """Lose the log in the middle."""
    raise Transient("the log is gone")


async def ended(
    world: World, name: str, arguments: dict[str, Any], *before: tuple[str, dict[str, Any]]
) -> ToolError:
    """How a call ends, after others."""
    for number, (earlier, given) in enumerate(before):
        await world.run(earlier, given, call_id=f"b{number}", effect=Effect.RECORDED)
    error: ToolError = (await world.run(name, arguments, effect=Effect.RECORDED)).error
    return error


async def own(world: World, which: Any) -> ToolError:
    """How a call of a test's own tool ends."""
    request = await world.request(which.spec.name, {}, effect=which.spec.effect)
    await world.runner("r1", which).handle(delivery(request))
    recorded = await world.result()
    assert recorded is not None
    error: ToolError = recorded.event.error
    return error


async def from_a_page(world: World) -> ToolError:
    """How a function ends that asks for its session, called by a page."""

    class Asking:
        def __init__(self, call: CallContext) -> None:
            self._call = call

        async def run(self, made: Any, args: Any) -> Any:
            return self._call.session_id

    def asking(call: CallContext) -> CodeRunner:
        return Asking(call)

    world.code = asking
    await world.run("create_function", {**CODE, "name": "f"}, effect=Effect.RECORDED)
    call = msgspec.json.encode(FunctionCall(AGENT, CallId("f1"), "f", {}))
    error = msgspec.json.decode(await world.functions().answer(call), type=ToolAnswer).error
    assert error is not None
    return error


WAYS: dict[ErrorKind, Callable[[World], Awaitable[ToolError]]] = {
    ErrorKind.INVALID_ARGUMENTS: lambda world: ended(world, "get_state", {}),
    ErrorKind.UNKNOWN_TOOL: lambda world: ended(world, "nothing", {}),
    ErrorKind.DISABLED_TOOL: lambda world: ended(
        world, "t", {}, ("create_tool", CODE), ("disable_tool", {"name": "t"})
    ),
    ErrorKind.NOT_AVAILABLE: from_a_page,
    ErrorKind.REJECTED: lambda world: ended(world, "update_notepad", {"operation": "delete", "content": "x"}),
    ErrorKind.NOT_FOUND: lambda world: ended(world, "read_skill", {"name": "s"}),
    ErrorKind.CONFLICT: lambda world: ended(world, "create_tool", CODE, ("create_tool", CODE)),
    ErrorKind.TOO_LARGE: lambda world: ended(world, "write_notepad", {"content": "x" * 1_100_000}),
    ErrorKind.TIMEOUT: lambda world: own(world, slow),
    ErrorKind.BLOCKED: lambda world: ended(world, "fetch_url", {"url": "http://127.0.0.1/"}),
    ErrorKind.UPSTREAM: lambda world: ended(world, "llm_generate", {"prompt": "?"}),
    ErrorKind.OUTCOME_UNKNOWN: lambda world: own(world, broken),
    ErrorKind.INTERNAL: lambda world: ended(world, "selftest_fail", {"how": "bug"}),
}


@pytest.mark.parametrize("kind", WAYS)
async def test_a_call_can_end_in_it(kind: ErrorKind) -> None:
    models = ScriptedModels(
        GenerationResult(error_kind=ErrorKind.UPSTREAM, error="The model server is down.")
    )
    error = await WAYS[kind](World(models=models))
    assert error.kind is kind
    assert error.message


def test_the_list_is_closed() -> None:
    assert WAYS.keys() | OF_OTHERS == set(ErrorKind)


async def test_a_kind_that_is_not_of_the_list_is_told_as_one_that_is() -> None:
    error = await ended(World(), "selftest_fail", {"how": "rejected", "kind": "own"})
    assert (error.kind, Rejected("x", kind="own").kind) == (ErrorKind.REJECTED, "own")

"""A bug in what a runner stands on, at each of its ports: nothing stays locked, and the call gets its end."""

from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect
from agent_tools.hosting.base import NoOwnTools
from agent_tools.running.call_log import CallLog
from agent_tools.running.results import LARGEST_RESULT
from agent_tools.tool import Arguments, Result, Tool, tool
from agent_tools.toolbox import Toolbox
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_tools.world import CallWorld, delivery

ERRORS = [RuntimeError("out of luck"), OSError("no such device"), KeyError("missing")]


class Nothing(Arguments):
    """No arguments."""


class Text(Result):
    """Any text."""

    text: str


def telling(effect: Effect, size: int = 5) -> Tool:
    """A tool that tells a text of this size."""

    @tool("tell", family="test", effect=effect)
    async def tell(args: Nothing) -> Text:
        """Tell."""
        return Text(text="x" * size)

    return tell


def once(monkeypatch: pytest.MonkeyPatch, port: type, method: str, error: Exception) -> None:
    """The first call of a port's method raises; later ones do what they always did."""
    does: Callable[..., Any] = getattr(port, method)
    left = [error]

    async def raises(*args: Any, **more: Any) -> Any:
        if left:
            raise left.pop()
        return await does(*args, **more)

    def raises_at_once(*args: Any, **more: Any) -> Any:
        if left:
            raise left.pop()
        return does(*args, **more)

    monkeypatch.setattr(port, method, raises_at_once if method == "opened" else raises)


BEFORE_IT_ACTS = [
    (CallLog, "told", Effect.PURE),
    (NoOwnTools, "find", Effect.PURE),
    (CallLog, "claim", Effect.EXTERNAL),
    (Toolbox, "opened", Effect.PURE),
    (CallLog, "record", Effect.PURE),
    (CallLog, "record", Effect.RECORDED),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("port", "method", "effect"), BEFORE_IT_ACTS)
async def test_the_next_delivery_ends_the_call_as_if_nothing_had_been(
    port: type, method: str, effect: Effect, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = CallWorld()
    one = telling(effect)
    tools = () if method == "find" else (one,)
    message = await world.request("tell", effect=effect)
    calls = world.runner("r1", *tools)
    once(monkeypatch, port, method, error)
    with pytest.raises(type(error)):
        await calls.handle(delivery(message))
    assert not calls._in_hand
    assert not any(lock.locked() for lock in calls._turns.values())
    await calls.handle(delivery(message, attempt=2))
    result = await world.ended()
    if method == "find":
        assert isinstance(result, ToolCallFailed)
        assert result.error.kind is ErrorKind.UNKNOWN_TOOL
    else:
        assert isinstance(result, ToolCallCompleted)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_what_acted_and_whose_end_could_not_be_noted_is_not_run_again_and_says_so(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = CallWorld()
    message = await world.request("tell", effect=Effect.EXTERNAL)
    calls = world.runner("r1", telling(Effect.EXTERNAL))
    once(monkeypatch, CallLog, "record", error)
    with pytest.raises(type(error)):
        await calls.handle(delivery(message))
    await calls.handle(delivery(message, attempt=2))
    result = await world.ended()
    assert isinstance(result, ToolCallFailed)
    assert result.error.kind is ErrorKind.OUTCOME_UNKNOWN


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_a_result_that_can_not_be_kept_whole_ends_its_call_with_an_error_and_in_the_log(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = CallWorld()
    message = await world.request("tell")
    calls = world.runner("r1", telling(Effect.PURE, size=LARGEST_RESULT + 1))
    once(monkeypatch, MemoryBlobs, "put", error)
    with capture_logs() as logs:
        await calls.handle(delivery(message))
    result = await world.ended()
    assert isinstance(result, ToolCallFailed)
    assert (result.error.kind, str(error) in result.error.message) == (ErrorKind.INTERNAL, False)
    assert [line["exc_info"] for line in logs if line["event"] == "tool.bug"] == [error]
    assert not calls._in_hand

"""`foldline why` names the call that a turn makes again and again."""

from typing import Any

import msgspec
import pytest

from agent_contracts.api.messages import Message
from foldline.cli.watching.call_loops import CallLoop, call_loop

AT = "2026-01-31T12:00:00.000Z"


def said(role: str, *calls: tuple[str, dict[str, Any]]) -> Message:
    """A message that asks for these calls."""
    nothing = dict.fromkeys(("result", "error", "show", "excerpt", "runner", "accounting", "finished_at"))
    of_call = nothing | {"model_call_id": "m", "effect": "pure", "runs_on": "tools", "outside": []}
    of_call |= {"request_address": "1", "result_address": None, "requested_at": AT, "status": "completed"}
    asked = [
        {"call_id": f"c{n}", "tool": tool, "arguments": given, **of_call}
        for n, (tool, given) in enumerate(calls)
    ]
    return msgspec.convert(
        {
            **{
                "session_id": "s_1",
                "address": "1",
                "sequence": 1,
                "role": role,
                "text": "",
                "created_at": AT,
            },
            **{"model_call_id": None, "model": None, "usage": None, "files": [], "tool_calls": asked},
        },
        Message,
    )


def found(*messages: Message) -> CallLoop | None:
    return call_loop("s_1", messages)


def test_the_same_call_three_times_is_a_loop() -> None:
    same = ("get", {"a": 1, "b": 2})
    loop = found(said("user"), said("assistant", same, ("get", {"a": 3})), said("assistant", same, same))
    assert loop == CallLoop("get", 3, {"a": 1, "b": 2}, AT, "foldline stop s_1 ends the turn")
    assert loop.words.endswith('3 times in this turn with the same arguments: {"a":1,"b":2}')
    assert found(said("assistant", same, same)) is None


def test_what_was_done_before_somebody_spoke_counts_no_more() -> None:
    same: tuple[str, dict[str, Any]] = ("get", {})
    assert found(said("assistant", same, same), said("user"), said("assistant", same)) is None


@pytest.mark.parametrize(("times", "arguments"), [(14, "none"), (15, None)])
def test_many_calls_of_one_tool_are_a_loop_whatever_their_arguments(times: int, arguments: Any) -> None:
    loop = found(*(said("assistant", ("set", {"n": n}), ("other", {"n": n % 9})) for n in range(times)))
    assert (loop.arguments if loop and loop.tool == "set" else "none") == arguments

"""Calls that wait for a person are bounded, and one that is over makes room."""

from typing import Any, cast

import pytest

from agent_contracts.ids import CallId, SessionId
from mcp_host import limits
from mcp_host.calling.held_calls import HeldCalls, HeldKey


def key(name: str) -> HeldKey:
    return HeldKey(SessionId("s_1"), CallId(name))


class Call:
    held_until = 0.0


def test_no_more_are_held_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_HELD", 2)
    held = HeldCalls()

    def hold(name: str) -> bool:
        return held.hold(key(name), cast(Any, Call()))

    assert [hold(name) for name in ("a", "b", "c")] == [True, True, False]
    assert held.take(key("c")) is None
    assert held.take(key("a")) is not None
    assert hold("c")

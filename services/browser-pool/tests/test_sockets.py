"""A WebSocket that was asked for with its path is let through once, and no other one of its host."""

from typing import Any, cast

import pytest
from playwright.async_api import WebSocketRoute

from agent_contracts.errors import Failure
from agent_contracts.policies import Verdict
from agent_domain.policies.policy_request import WebOrigin
from agent_tools.running.gate import RequestGate
from browser_pool.contexts.pages_gate import PagesGate

HOST = WebOrigin("https", "a.test", 443)


class Judged:
    rule = "the rule"

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class Gate:
    """Allows what has a path: pages are asked about these, others are not."""

    def of_page(self, method: str, to: WebOrigin, path: str) -> str:
        return path

    async def judged(self, path: str) -> Judged:
        return Judged(Verdict.ALLOW if path else Verdict.DENY)


class Socket:
    url = "wss://a.test/live"
    connected = 0

    def connect_to_server(self) -> None:
        self.connected += 1


async def test_only_the_one_that_was_asked_for() -> None:
    kept: list[Any] = []
    pages = PagesGate(lambda: False, frozenset, lambda *told: kept.append(told))
    pages.begin(cast(RequestGate, Gate()))
    socket = Socket()
    await pages.socket(cast(WebSocketRoute, socket))
    assert (socket.connected, kept) == (1, [])
    await pages.require_socket(HOST)
    with pytest.raises(Failure, match=r"WEBSOCKET to a\.test is not allowed"):
        await pages.require_socket(HOST)


class Allowing(Gate):
    """Allows all for as long as a call is under way, and afterwards nothing."""

    def __init__(self, verdict: Verdict = Verdict.ALLOW) -> None:
        self.verdict = verdict

    def afterwards(self) -> "Allowing":
        return Allowing(Verdict.DENY)

    async def judged(self, path: str) -> Judged:
        return Judged(self.verdict)


async def test_what_was_allowed_once_is_not_allowed_once_the_call_is_over() -> None:
    pages = PagesGate(lambda: False, frozenset, lambda *_: None)
    first, second = Allowing(), Allowing()
    with pytest.raises(Failure, match="nobody uses this browser"):
        await pages.require("GET", HOST, "/")
    pages.begin(cast(RequestGate, first))
    await pages.require("GET", HOST, "/")
    pages.end(cast(RequestGate, first))
    with pytest.raises(Failure, match=r"GET to a\.test is not allowed"):
        await pages.require("GET", HOST, "/")
    pages.begin(cast(RequestGate, second))
    pages.end(cast(RequestGate, first))
    await pages.require("GET", HOST, "/")

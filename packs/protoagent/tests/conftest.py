"""The pack's tools, run as sessions' calls with every port in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from importlib.metadata import EntryPoint
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

import foldline_protoagent
from agent_contracts.entities.secrets import PLACEHOLDER
from agent_tools.registry import PACKS, Pack, Registry, installed_packs, tools_in
from egress.fetching import FetchRequest, FetchResponse
from egress.guard import Egress
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.world import PackWorld
from foldline_testing.egress.web import LocalServer, egress_to, local_server
from foldline_testing.tool_runner.world import all_tools


@pytest.fixture(scope="session")
def pack() -> Registry:
    """The tools of the pack, by their names in it."""
    return Registry([Pack("protoagent", "1", tuple(tools_in(foldline_protoagent)))])


@pytest.fixture(scope="session")
def whole() -> Registry:
    """The core tools, and the pack as it is installed."""
    entry = EntryPoint("protoagent", "foldline_protoagent", PACKS)
    return Registry([*all_tools().packs, *installed_packs([entry], all_tools().get)])


@pytest.fixture
def called(pack: Registry) -> Called:
    """An agent with the pack."""
    return Called(PackWorld(registry=pack))


@pytest.fixture
def world_of(pack: Registry) -> Callable[..., Called]:
    """An agent with the pack, and other ports than usual."""

    def made(**ports: Any) -> Called:
        return Called(PackWorld(registry=pack, **ports))

    return made


class Recorded:
    """A service on this machine that says what the real one was recorded to say, and the way to it.

    `seen` are the requests, with the address that they were for.
    """

    def __init__(self, server: LocalServer, egress: Egress) -> None:
        self._server = server
        self._egress = egress
        self.asked: list[FetchRequest] = []

    @property
    def seen(self) -> list[str]:
        """The requests as they came, head and body."""
        return self._server.seen

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """See `AgentEgress`: to whatever host, it goes to the server."""
        self.asked.append(request)
        path = urlsplit(request.url)
        target = path.path + (f"?{path.query}" if path.query else "")
        headers = tuple((name, PLACEHOLDER.sub("hunter2-hunter2", value)) for name, value in request.headers)
        url = self._server.url("recorded.test", target)
        local = msgspec.structs.replace(request, url=url, headers=headers)
        return await self._egress.fetch(local)


@pytest.fixture
async def recorded() -> AsyncIterator[Callable[..., Any]]:
    """Starts a recorded service: given what it answers, one answer after another."""
    async with AsyncExitStack() as stack:

        async def start(*answers: bytes) -> Recorded:
            left = list(answers)
            server = await stack.enter_async_context(local_server(lambda _: left.pop(0)))
            return Recorded(server, egress_to("recorded.test"))

        yield start

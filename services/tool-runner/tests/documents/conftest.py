"""What tests of documents share: processes, which may not reach the net, whatever a document points to."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psutil
import pytest

from foldline_testing.tool_runner.world import World
from tool_runner.documents.documents import Documents


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    made = Documents()
    yield made
    asyncio.run(made.close())


@pytest.fixture
def world(documents: Documents) -> World:
    return World(documents=documents)


@pytest.fixture(autouse=True)
def no_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under httpx, urllib3, primp's Python part and aiohttp there is always one of these."""
    connect = socket.socket.connect

    def refused(self: socket.socket, address: Any) -> None:
        assert self.family == socket.AF_UNIX, f"somebody wanted to connect to {address}"
        connect(self, address)

    def no_name(host: Any, *more: Any, **others: Any) -> Any:
        raise AssertionError(f"somebody wanted to know the address of {host}")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "connect_ex", refused)
    monkeypatch.setattr(socket, "getaddrinfo", no_name)


@pytest.fixture
def within_bounds() -> Callable[[], AbstractContextManager[None]]:
    """Whatever a document does, this process has no 200 MB more. One without end hangs."""

    @contextmanager
    def bounded() -> Iterator[None]:
        own = psutil.Process()
        before = own.memory_info().rss
        yield
        assert own.memory_info().rss - before < 200_000_000

    return bounded

"""What holds in every test of the runner: the way out is ours alone, no library opens a connection."""

from importlib.util import find_spec
from typing import Any, NoReturn

import aiohttp
import httpx
import pytest
import urllib3


@pytest.fixture(autouse=True)
def no_library_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where httpx, urllib3 (requests, too) and aiohttp open connections. primp brings its own sockets, in
    Rust: it must not be there at all. `httpcore`, as the guard has it, dials by our own backend."""
    assert find_spec("primp") is None

    def refused(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a library wanted to open a connection")

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", refused)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", refused)
    monkeypatch.setattr(urllib3.connection.HTTPConnection, "connect", refused)
    monkeypatch.setattr(urllib3.connection.HTTPSConnection, "connect", refused)
    monkeypatch.setattr(aiohttp.TCPConnector, "connect", refused)

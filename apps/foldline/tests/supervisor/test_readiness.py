"""A start waits as long as what it waits for lives, and says what that is."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from agent_contracts import service_names
from agent_contracts.errors import Rejected, Transient
from foldline.supervisor import readiness
from foldline.supervisor.readiness import WAITING, until_ready

_HOUR_S = 3600.0


class Gateway(HTTPServer):
    """Answers /readyz, with 503 until it is ready."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Readyz)
        self.ready = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Readyz(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Gateway)
        checks = {"nats": "ok", "projection": "at event 10 of 400,000"}
        self.send_response(200 if self.server.ready else 503)
        self.end_headers()
        self.wfile.write(json.dumps({"status": "failing", "checks": checks}).encode())

    def log_message(self, *_: object) -> None:
        """Not to standard error."""


class Services:
    def __init__(self) -> None:
        self.ends = Counter[str]()
        self.refused = asyncio.Event()

    async def failed(self) -> None:
        await self.refused.wait()
        raise Rejected("no such model")


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_a_gateway_that_needs_hours_is_waited_for_and_the_person_told_for_what(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, said, passed = asyncio.get_running_loop(), list[str](), 0.0
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + passed)
    monkeypatch.setattr(readiness, "_SAY_EACH_S", 0.05)

    def report(step: str, line: str) -> None:
        nonlocal passed
        assert step == WAITING
        said.append(line)
        passed += _HOUR_S
        gateway.ready = any("projection" in one for one in said) and len(said) > 3

    await until_ready(gateway.url, Services(), report)
    assert "for the gateway: projection: at event 10 of 400,000" in said[-1]
    assert "nats" not in said[-1], "what works is no reason to wait"


async def test_a_gateway_that_ends_again_and_again_is_given_up(gateway: Gateway) -> None:
    services = Services()
    services.ends[service_names.GATEWAY] = 1000
    with pytest.raises(Transient, match="ended 1000 times"):
        await until_ready(gateway.url, services, lambda *_: None)


async def test_a_service_that_refuses_its_settings_ends_the_wait(gateway: Gateway) -> None:
    services = Services()
    services.refused.set()
    with pytest.raises(Rejected, match="no such model"):
        await until_ready(gateway.url, services, lambda *_: None)

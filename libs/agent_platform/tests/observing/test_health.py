"""Health and metrics over HTTP."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import pytest

from agent_contracts.errors import Rejected
from agent_platform.observing import health
from agent_platform.observing.health import HealthChecks, HealthServer
from agent_platform.observing.metrics import Metrics


async def fine() -> None:
    """Nothing is wrong."""


async def broken() -> None:
    raise ConnectionError("NATS is not connected")


async def silent() -> None:
    await asyncio.sleep(3600)


@pytest.fixture
def checks() -> HealthChecks:
    return HealthChecks()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def server(checks: HealthChecks, metrics: Metrics) -> AsyncIterator[HealthServer]:
    server = HealthServer(checks, metrics)
    await server.start("127.0.0.1", 0)
    yield server
    await server.stop()


async def send(server: HealthServer, request: bytes) -> tuple[int, str, str]:
    """Status, head and body of the answer; status 0 if there is none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    await writer.drain()
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition("\r\n\r\n")
    return (int(head.split()[1]) if head else 0), head, body


async def get(server: HealthServer, path: str) -> tuple[int, str, str]:
    return await send(server, f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())


async def test_without_checks_it_is_alive_and_ready(server: HealthServer) -> None:
    assert (await get(server, "/healthz"))[0] == 200
    assert (await get(server, "/readyz?verbose"))[0] == 200


async def test_what_is_not_ready_is_still_alive(checks: HealthChecks, server: HealthServer) -> None:
    checks.add_readiness("postgres", fine)
    checks.add_readiness("nats", broken)
    assert (await get(server, "/healthz"))[0] == 200
    status, _, body = await get(server, "/readyz")
    assert status == 503
    assert json.loads(body) == {
        "status": "failing",
        "checks": {"postgres": "ok", "nats": "NATS is not connected"},
    }


async def test_a_check_that_does_not_answer_fails(
    checks: HealthChecks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_CHECK_SECONDS", 0.05)
    checks.add_readiness("postgres", silent)
    assert (await checks.ready()).problems == {"postgres": "no answer within 0.05 s"}


async def test_metrics_are_served_for_prometheus(metrics: Metrics, server: HealthServer) -> None:
    metrics.message_handled("runners-tools", "ack", 0.02)
    metrics.message_handled("runners-tools", "dead", 3)
    metrics.appended(0.004)
    metrics.log_conflicts.inc()
    status, head, body = await get(server, "/metrics")
    assert status == 200
    assert "content-type: text/plain" in head
    lines = body.splitlines()
    assert 'foldline_messages_handled_total{consumer="runners-tools",outcome="ack"} 1.0' in lines
    assert 'foldline_messages_handled_total{consumer="runners-tools",outcome="dead"} 1.0' in lines
    assert 'foldline_handling_seconds_bucket{consumer="runners-tools",le="0.05"} 1.0' in lines
    assert 'foldline_log_append_seconds_bucket{le="0.005"} 1.0' in lines
    assert 'foldline_recent_appends{pace="fast"} 1.0' in lines
    assert 'foldline_recent_appends{pace="slow"} 0.0' in lines
    assert "foldline_log_conflicts_total 1.0" in lines


async def test_two_services_in_one_process_count_apart() -> None:
    one, other = Metrics(), Metrics()
    one.log_conflicts.inc()
    assert b"foldline_log_conflicts_total 0.0" in other.render()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (b"POST /healthz HTTP/1.1\r\n\r\n", 405),
        (b"\r\n\r\n", 405),
        (b"\xff\x00\r\n\r\n", 405),
        (b"GET\r\n\r\n", 404),
        (b"GET /healthz HTTP/1.1\r\n" + b"x: y\r\n" * 5000 + b"\r\n", 0),
    ],
)
async def test_nonsense_is_answered_or_dropped_and_harms_nobody(
    server: HealthServer, request_: bytes, status: int
) -> None:
    try:
        answered = (await send(server, request_))[0]
    except ConnectionError:
        answered = 0  # hung up while we were still sending
    assert answered == status
    assert (await get(server, "/healthz"))[0] == 200


async def test_who_says_nothing_is_hung_up_on(server: HealthServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_REQUEST_SECONDS", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    async with asyncio.timeout(60):
        assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_a_taken_port_is_an_error_that_names_the_setting(
    checks: HealthChecks, metrics: Metrics
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = HealthServer(checks, metrics)
        with pytest.raises(Rejected, match="FOLDLINE_HEALTH_PORT"):
            await server.start("127.0.0.1", port)

"""Connections that want nothing, or take for ever to say what: others still come in."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

import httpx
import pytest

from agent_contracts.session_events.decisions import Titled
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.running import TOKEN, RunningGateway, Start, listen_to
from gateway.door import bodies
from gateway.door.connections import possible_connections

HALF = b"GET /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
SLOW_BODY = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\ntoken="
Connect = Callable[[RunningGateway, bytes], Awaitable[asyncio.StreamReader]]


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Opens connections that send something and then nothing more; closes them after the test."""
    writers: list[asyncio.StreamWriter] = []

    async def opened(gateway: RunningGateway, first: bytes) -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(gateway.url).port)
        writers.append(writer)
        writer.write(first)
        await writer.drain()
        return reader

    yield opened
    for writer in writers:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What comes until the gateway closes the connection."""
    async with asyncio.timeout(60):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


async def comes_in(gateway: RunningGateway) -> bool:
    async with httpx.AsyncClient(
        base_url=gateway.url, headers={"Authorization": f"Bearer {TOKEN}"}, verify=NO_TLS, timeout=30
    ) as client:
        return (await client.get("/api/v1/agents")).status_code == 200


@pytest.mark.parametrize("first", [b"", b"GET ", HALF], ids=["nothing", "a word", "half a head"])
async def test_a_head_that_does_not_come_in_time_ends_its_connection(
    start: Start, connect: Connect, first: bytes
) -> None:
    assert await ended(await connect(await start(head_s=0.2), first)) == b""


async def test_bytes_that_trickle_in_don_t_prolong_it(start: Start) -> None:
    gateway = await start(head_s=0.5)
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(gateway.url).port)
    writer.write(HALF)
    with contextlib.suppress(OSError):
        async with asyncio.timeout(60):
            while not reader.at_eof():
                writer.write(b"x")
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1), 0.05)
    writer.close()


async def test_the_second_request_of_a_connection_has_its_time_too(start: Start) -> None:
    gateway = await start(head_s=0.3)
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(gateway.url).port)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    writer.write(whole + HALF)  # the half comes before the first answer
    assert (await ended(reader)).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_a_body_that_does_not_come_in_time_ends_in_an_answer(
    start: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "READ_SECONDS", 0.2)
    monkeypatch.setattr("gateway.door.incoming_body._DRAIN_SECONDS", 0.2)
    answer = await ended(await connect(await start(head_s=0.2), SLOW_BODY))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"request_timeout" in answer
    assert b"The body did not arrive in time" in answer


async def test_nobody_without_a_token_may_send_a_large_body(start: Start) -> None:
    gateway = await start()
    async with httpx.AsyncClient(base_url=gateway.url, verify=NO_TLS) as client:
        answer = await client.post("/login", content=b"token=" + b"x" * 100_000)
    assert (answer.status_code, answer.json()["kind"]) == (413, "too_large")


@pytest.mark.parametrize("first", [b"", HALF, SLOW_BODY], ids=["nothing", "half a head", "half a body"])
async def test_over_the_limit_the_oldest_without_a_request_makes_way(
    start: Start, connect: Connect, first: bytes
) -> None:
    gateway = await start(connections=10)
    held = [await connect(gateway, first) for _ in range(30)]
    assert await comes_in(gateway)
    assert await ended(held[0]) == b""


async def test_where_all_connections_are_in_use_none_of_them_ends(start: Start, connect: Connect) -> None:
    gateway = await start(connections=2)
    session = await gateway.new_session()
    listening = listen_to(gateway.client, session_id=session, after=0)
    await anext(listening)
    stream = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
    other = await connect(gateway, stream % TOKEN.encode())
    while b"retry:" not in await other.readline():
        pass
    assert await ended(await connect(gateway, HALF)) == b""
    await gateway.decided(session, Titled(title="still here"))
    async with asyncio.timeout(60):
        assert (await anext(listening)).data["body"]["title"] == "still here"


def test_there_are_no_more_connections_than_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda which: (256, 600))
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr("resource.setrlimit", lambda which, limits: asked.append(limits))
    assert possible_connections(1000) == 344
    assert asked == [(600, 600)]
    assert possible_connections(100) == 100


@pytest.mark.faults
@pytest.mark.parametrize("first", [b"", HALF, SLOW_BODY], ids=["nothing", "half a head", "half a body"])
async def test_two_thousand_half_open_requests_lock_nobody_out(
    start: Start, connect: Connect, first: bytes
) -> None:
    gateway = await start(connections=1000)
    session = await gateway.new_session()
    listening = listen_to(gateway.client, session_id=session, after=0)
    await anext(listening)
    for _ in range(20):
        await asyncio.gather(*(connect(gateway, first) for _ in range(100)))
        assert await comes_in(gateway)
    said = await gateway.client.post(f"/api/v1/sessions/{session}/messages", json={"text": "still here"})
    assert said.status_code == 202
    async with asyncio.timeout(20):
        assert (await anext(listening)).data["body"]["text"] == "still here"

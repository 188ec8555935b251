"""Uploads that meet others, break off, are slow, or find no room: a clear problem, and nothing half."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import pytest
from httpx import Response

from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.gateway.running import AGENT, TOKEN, RunningGateway, Start
from gateway.door import bodies

HEAD = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\n\r\n'
FORM = {"Content-Type": "multipart/form-data; boundary=b"}


async def send(gateway: RunningGateway, data: bytes, name: str = "f.bin", **more: Any) -> Response:
    return await gateway.client.post("/api/v1/files", files=[("file", (name, data))], **more)


async def listed(gateway: RunningGateway) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await gateway.client.get(f"/api/v1/agents/{AGENT}/files")).json()["items"]
    return found


async def test_uploads_to_one_path_at_once_are_versions_of_one_file(start: Start) -> None:
    gateways = [await start(), await start()]
    answers = await asyncio.gather(*(send(gateways[n % 2], f"version {n}".encode()) for n in range(8)))
    stored = [answer.json()["items"][0] for answer in answers]
    assert len({one["file_id"] for one in stored}) == 1
    assert sorted(one["version"] for one in stored) == list(range(1, 9))
    for answer in stored:
        content = await gateways[0].client.get(
            f"/api/v1/files/{answer['file_id']}/content", params={"version": answer["version"]}
        )
        assert content.headers["etag"] == f'"{answer["sha256"]}"'


async def test_an_upload_that_breaks_off_leaves_nothing(gateway: RunningGateway) -> None:
    address = urlsplit(gateway.url)
    await listed(gateway)
    before = len(os.listdir("/proc/self/fd"))
    request = (
        f"POST /api/v1/files HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: {FORM['Content-Type']}\r\nContent-Length: 5000000\r\n\r\n"
    ).encode()
    _, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(request + HEAD + bytes(3_000_000))
    await writer.drain()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()

    async def closed() -> bool | None:
        return len(os.listdir("/proc/self/fd")) <= before or None

    assert await eventually(closed), "what came of it was put away"
    assert await listed(gateway) == []
    objects = await gateway.connection.api("STREAM.INFO.OBJ_objects")
    assert objects["state"]["messages"] == 0


async def test_an_upload_that_is_too_slow_is_ended(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "READ_SECONDS", 0.2)
    gateway = await start()

    async def slowly() -> AsyncIterator[bytes]:
        yield HEAD
        await asyncio.sleep(2)  # sleeps: work
        yield b"x\r\n--b--\r\n"

    answer = await gateway.client.post("/api/v1/files", content=slowly(), headers=FORM)
    assert (answer.status_code, "in time" in answer.json()["detail"]) == (408, True)
    assert await listed(gateway) == []


async def test_where_there_is_no_room_it_is_said(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> BinaryIO:
        return open("/dev/full", "w+b")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    answer = await send(gateway, bytes(1_000_000))
    assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
    assert "TMPDIR" in answer.json()["detail"]
    assert await listed(gateway) == []


async def test_an_upload_that_is_larger_than_all_may_be_is_refused(start: Start) -> None:
    gateway = await start(upload_limit=2_000_000)
    two = [("file", (f"{n}.bin", bytes(1_100_000))) for n in range(2)]
    answer = await gateway.client.post("/api/v1/files", files=two)
    assert (answer.status_code, answer.json()["kind"]) == (413, "too_large")
    assert (await send(gateway, bytes(1_100_000))).status_code == 201
    large = await gateway.client.put(f"/api/v1/agents/{AGENT}/prompt", content=b'"' + bytes(5_000_000))
    assert large.status_code == 413, "other bodies have their own limit"


@pytest.mark.faults
async def test_while_nats_is_away_nothing_is_stored_and_then_all_is(
    start: Start, nats_server: NatsForTest
) -> None:
    gateway = await start()
    nats_server.kill()
    answer = await send(gateway, bytes(3_000_000))
    assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
    nats_server.restart()
    await gateway.connection.until_connected(30)
    assert await listed(gateway) == []
    again = await send(gateway, bytes(3_000_000))
    assert again.status_code == 201, again.text
    assert [one["version"] for one in await listed(gateway)] == [1]

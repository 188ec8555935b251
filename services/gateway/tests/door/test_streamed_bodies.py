"""Bodies that are handed on piece by piece: imported files."""

import re
from collections.abc import AsyncIterator

from starlette.types import Message, Receive, Scope, Send

from foldline_testing.gateway.running import RunningGateway, Start
from gateway.door.bodies import Bodies, StreamedRoute


async def refused(
    gateway: RunningGateway, path: str, content: AsyncIterator[bytes] | bytes
) -> tuple[int, str]:
    answer = await gateway.client.post(f"/api/v1{path}", content=content)
    return answer.status_code, answer.json()["kind"]


async def test_an_imported_file_is_capped_while_it_arrives_and_kept_out_of_memory(start: Start) -> None:
    gateway = await start(import_limit=3_000_000)
    sent = 0

    async def pieces(count: int) -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(count):
            sent += 50_000
            yield b"x" * 50_000

    path = "/sessions:import"
    assert await refused(gateway, path, pieces(200)) == (413, "too_large")
    assert sent > 3_000_000
    assert await refused(gateway, path, b"x" * 3_000_001) == (413, "too_large")
    assert await refused(gateway, path, pieces(20)) == (422, "invalid_request")
    assert await refused(gateway, f"{path}?ids=some", pieces(20)) == (422, "invalid_request")
    assert await refused(gateway, path, b"") == (422, "invalid_request")


async def test_a_streamed_body_is_handed_on_before_its_end_has_come() -> None:
    seen: list[bytes] = []
    asked = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive()).get("more_body"):
            seen.append(message["body"])

    async def receive() -> Message:
        nonlocal asked
        asked += 1
        assert len(seen) == asked - 1, "it was kept back"
        return {"type": "http.request", "body": b"x", "more_body": asked < 5}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": "/in",
        "query_string": b"",
        "headers": [(b"content-length", b"5")],
    }
    streamed = (StreamedRoute("POST", re.compile("/in"), 5),)
    await Bodies(app, limit=5, limits={}, streamed=streamed)(scope, receive, send)
    assert (asked, seen) == (5, [b"x"] * 4)

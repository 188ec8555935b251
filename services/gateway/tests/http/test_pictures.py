"""Pictures from elsewhere: found if they were loaded, loaded when somebody says so, once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import msgspec
import pytest

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.user_questions import FETCH_PICTURE, FetchedPicture, FetchPicture
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.nats.long_answers import QuestionServer
from foldline_testing.gateway.running import RunningGateway

URL = "https://pictures.example.com/cat.png?size=big"
PNG = b"\x89PNG\r\n\x1a\n\0\0"


@asynccontextmanager
async def runner(
    gateway: RunningGateway, error: ToolError | None = None
) -> AsyncIterator[list[FetchPicture]]:
    """One that fetches the same picture from everywhere, and keeps what it was asked."""
    asked: list[FetchPicture] = []
    blob = await JetStreamBlobs(gateway.connection).put(PNG, "image/png")

    async def answer(question: bytes) -> bytes:
        asked.append(msgspec.json.decode(question, type=FetchPicture))
        found: Json = msgspec.to_builtins(FetchedPicture(blob.sha256, blob.size, "image/png"))
        return msgspec.json.encode(ToolAnswer(found) if error is None else ToolAnswer(error=error))

    subject = query_subject(FETCH_PICTURE)
    running = asyncio.create_task(
        QuestionServer(gateway.connection, subject, "runners", answer, failed=b"", stopped=b"").run()
    )
    await asyncio.sleep(0)
    yield asked
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_a_picture_is_fetched_once_and_kept_as_a_file_of_the_session(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    path = f"/api/v1/sessions/{session}/pictures"
    async with runner(gateway) as asked:
        unknown = await gateway.client.get(path, params={"url": URL})
        assert unknown.json() == {"file": None, "allowed": False}
        assert asked == []
        loaded = await gateway.client.post(path, json={"url": URL})
        assert loaded.status_code == 201, loaded.text
        file = loaded.json()
        assert (file["media_type"], file["source"], file["scope"]) == ("image/png", "web", "session")
        assert file["path"].startswith("pictures/pictures.example.com/")
        content = await gateway.client.get(f"/api/v1/files/{file['file_id']}/content")
        assert content.content == PNG
        assert (await gateway.client.post(path, json={"url": URL})).json() == file
        found = await gateway.client.get(path, params={"url": URL})
        assert found.json() == {"file": file, "allowed": False}
        assert [one.url for one in asked] == [URL]


async def test_one_that_cant_be_fetched_says_why_and_leaves_nothing(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    path = f"/api/v1/sessions/{session}/pictures"
    async with runner(gateway, ToolError(ErrorKind.BLOCKED, "this address is nobody's to reach")):
        refused = await gateway.client.post(path, json={"url": URL})
        assert (refused.status_code, refused.json()["detail"]) == (422, "this address is nobody's to reach")
        assert (await gateway.client.get(path, params={"url": URL})).json()["file"] is None


async def test_a_picture_of_a_host_that_is_allowed_says_so_and_is_not_fetched_by_that(
    start: Callable[..., Awaitable[RunningGateway]],
) -> None:
    gateway = await start(told={"picture_hosts": "other.org, pictures.example.com"})
    path = f"/api/v1/sessions/{await gateway.new_session()}/pictures"
    async with runner(gateway) as asked:
        for url, allowed in [
            (URL, True),
            (URL.upper().replace("HTTPS", "https"), True),
            ("https://other.example.com/", False),
        ]:
            found = await gateway.client.get(path, params={"url": url})
            assert found.json() == {"file": None, "allowed": allowed}
        assert asked == []


@pytest.mark.parametrize(
    "url", ["http://example.com/a.png", "https://", "file:///etc/passwd", "https://a:b@c.d/e"]
)
async def test_only_https_addresses_are_taken(gateway: RunningGateway, url: str) -> None:
    session = await gateway.new_session()
    refused = await gateway.client.post(f"/api/v1/sessions/{session}/pictures", json={"url": url})
    assert (refused.status_code, refused.json()["path"]) == (422, "/url")

"""Whom people let an agent hand work to: read, written, refused, reverted."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.user_questions import TRY_DELEGATE, TryDelegate
from agent_platform.nats.long_answers import QuestionServer
from foldline_testing.gateway.running import RunningGateway

PATH = "/api/v1/agents/default/delegates"
SCOUT = {"name": "scout", "type": "a2a", "url": "https://scout.test/a2a", "secret": "SCOUT_TOKEN"}
CODER = {"name": "coder", "type": "acp", "command": "python3 coder.py --acp"}
MINI = {"name": "mini", "type": "openai", "url": "https://mini.test/v1", "model": "mini-1"}


async def test_delegates_are_written_as_a_whole_and_can_be_taken_back(gateway: RunningGateway) -> None:
    client = gateway.client
    assert (await client.get(PATH)).json()["delegates"] == []
    first = (await client.put(PATH, json={"delegates": [SCOUT, MINI]})).json()
    assert (first["delegates"], first["version"]) == ([SCOUT, MINI], 1)
    assert (await client.put(PATH, json={"delegates": [SCOUT, MINI]})).json()["version"] == 1
    second = await client.put(PATH, json={"delegates": [MINI], "version": 1})
    assert second.json()["delegates"] == [MINI]
    stale = await client.put(PATH, json={"delegates": [], "version": 1})
    assert (stale.status_code, stale.json()["kind"]) == (409, "conflict")
    back = (await client.post(f"{PATH}:revert", json={"version": 1})).json()
    assert (back["delegates"], back["version"]) == ([SCOUT, MINI], 3)
    assert [one["version"] for one in (await client.get(f"{PATH}/versions")).json()["items"]] == [3, 2, 1]


@pytest.mark.parametrize(
    ("delegates", "path"),
    [
        ([{}], "/delegates/0/name"),
        ([SCOUT, {**MINI, "url": "file:///etc/passwd"}], "/delegates/1/url"),
        ([{**SCOUT, "type": "smtp"}], "/delegates/0/type"),
        ([{**SCOUT, "type": "acp"}], "/delegates/0/command"),
        ([{**SCOUT, "url": ""}], "/delegates/0/url"),
        ([{**SCOUT, "command": "coder"}], "/delegates/0/command"),
        ([{**CODER, "url": "https://x.test"}], "/delegates/0/url"),
        ([{**CODER, "secret": "TOKEN"}], "/delegates/0/secret"),
        ([{**CODER, "command": "  "}], "/delegates/0/command"),
        ([{**SCOUT, "name": "a b"}], "/delegates/0/name"),
        ([{**SCOUT, "secret": "hunter2"}], "/delegates/0/secret"),
        ([{**SCOUT, "token": "x"}], "/delegates/0/token"),
        ([SCOUT, SCOUT], "/delegates/1/name"),
        ([{**MINI, "model": ""}], "/delegates/0/model"),
    ],
)
async def test_what_can_not_be_a_delegate_is_refused_by_its_path(
    gateway: RunningGateway, delegates: list[Any], path: str
) -> None:
    refused = await gateway.client.put(PATH, json={"delegates": delegates})
    assert (refused.status_code, refused.json()["path"]) == (422, path)
    assert (await gateway.client.get(PATH)).json()["delegates"] == []


async def test_a_delegate_is_tried_as_the_agent_would_ask_it(gateway: RunningGateway) -> None:
    await gateway.client.put(PATH, json={"delegates": [SCOUT, CODER]})
    asked: list[TryDelegate] = []

    async def answer(question: bytes) -> bytes:
        asked.append(msgspec.json.decode(question, type=TryDelegate))
        return msgspec.json.encode(answers.pop(0))

    refusal = ToolError(ErrorKind.UPSTREAM, "Error: the delegate scout answered 401: nothing")
    answers = [ToolAnswer("ready"), ToolAnswer(error=refusal)]
    subject = query_subject(TRY_DELEGATE)
    running = asyncio.create_task(
        QuestionServer(gateway.connection, subject, "runners", answer, failed=b"", stopped=b"").run()
    )
    await asyncio.sleep(0)
    try:
        tried = await gateway.client.post(f"{PATH}/scout:test")
        assert tried.json() == {"answer": "ready"}
        assert asked == [TryDelegate(AgentId("default"), "scout")]
        refused = await gateway.client.post(f"{PATH}/scout:test")
        assert refused.status_code == 422
        assert "answered 401" in refused.json()["detail"]
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    assert (await gateway.client.post(f"{PATH}/nobody:test")).status_code == 404
    coder = await gateway.client.post(f"{PATH}/coder:test")
    assert coder.status_code >= 400
    assert "try it in a chat" in coder.json()["detail"]

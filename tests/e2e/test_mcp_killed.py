"""A gateway that is killed while a program uses an agent by MCP: asked again, nothing happens twice."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.faults

SCRIPT = {"rules": [{"reply": {"text": "Done at last.", "pace": {"first": 6}}}]}
SLOW = {
    "description": "Counts, slowly.",
    "parameter_schema": {"type": "object", "properties": {}},
    "code": """
const n = (await state.get('n') ?? 0) + 1
await state.set('n', n)
const until = Date.now() + 3000
while (Date.now() < until) {}
return { n }""",
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with ModelServer(SCRIPT) as model:
        folder = tmp_path_factory.mktemp("mcp-killed")
        with Stack(folder, processes=True, env=model.environment()) as stack:
            yield stack


@pytest.fixture
def token(stack: Stack) -> Iterator[str]:
    with stack.gateway() as door:
        body = {"name": "killed", "agent_id": "default", "rights": ["read", "say", "tools"]}
        yield str(door.post("/program-tokens", body)["token"])
    with stack.gateway() as door:
        door.delete("/program-tokens/killed")


async def called(stack: Stack, token: str, name: str, arguments: dict[str, Any], **more: Any) -> Any:
    """One call by a client of its own. Raises whatever comes where the gateway goes away."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{stack.url}/mcp", http_client=http)
        async with Client(transport) as client:
            return await client.call_tool(name, arguments, **more)


async def again(stack: Stack, token: str, name: str, arguments: dict[str, Any], **more: Any) -> Any:
    """The same, as often as it takes."""
    async with asyncio.timeout(90):
        while True:
            with contextlib.suppress(Exception):
                return await called(stack, token, name, arguments, **more)
            await asyncio.sleep(0.3)


async def is_lost(call: "asyncio.Task[Any]") -> bool:
    """Whether nobody answers it."""
    await asyncio.wait({call})
    return call.exception() is not None


def kill_gateway(stack: Stack) -> None:
    for pid in stack.pids(service_names.GATEWAY):
        os.kill(pid, signal.SIGKILL)


async def test_a_question_that_is_asked_again_after_a_kill_was_asked_once(stack: Stack, token: str) -> None:
    told: list[str] = []
    heard = asyncio.Event()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")
        heard.set()

    question = {"message": "take your time", "key": "once"}
    asking = asyncio.create_task(called(stack, token, "ask_agent", question, progress_callback=progress))
    await asyncio.wait_for(heard.wait(), 60)
    kill_gateway(stack)
    assert await is_lost(asking), "the answer came before the kill"
    found = (await again(stack, token, "ask_agent", question)).structured_content
    assert found["answer"] == "Done at last."
    assert any(found["session"] in line for line in told), "it is the session that was begun before"
    with stack.gateway() as door:
        said = [one["text"] for one in messages(door, found["session"])]
        assert said == ["take your time", "Done at last."]
        everything = door.get("/sessions", agent_id="default", q="take your time")["items"]
        assert len(everything) == 1


async def test_an_exposed_tool_that_is_called_again_after_a_kill_ran_once(stack: Stack, token: str) -> None:
    with stack.gateway() as door:
        door.put("/agents/default/tools/slow", SLOW)
        door.put("/agents/default/exposed-tools", {"names": ["slow"]})
    meta = {"foldline/key": "once"}
    calling = asyncio.create_task(called(stack, token, "slow", {}, meta=meta))
    await asyncio.to_thread(until_counted, stack)
    kill_gateway(stack)
    assert await is_lost(calling), "the answer came before the kill"
    found = await again(stack, token, "slow", {}, meta=meta)
    assert found.structured_content == {"n": 1}
    with stack.gateway() as door:
        assert door.get("/agents/default/state/n")["value"] == 1


def until_counted(stack: Stack) -> None:
    """Until the tool has begun."""
    with stack.gateway() as door:
        while not _counted(door):
            pass


def _counted(door: Gateway) -> bool:
    return bool(door.get("/agents/default/state", prefix="n")["items"])

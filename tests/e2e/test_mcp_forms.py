"""What the agent, or a tool of its own, asks is a form in the program that called: also before 2026-07-28."""

import asyncio
import json
from typing import Any, Literal

import httpx
import mcp_types as types
import pytest

from foldline.cli.client import Gateway
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.mcp_clients import ERAS, by_stdio, client, mcp_token
from foldline_testing.product.stack import Stack

SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "ask me"},
            "turns": [
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Which city?"}}]},
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "And when?"}}]},
                {"text": "So be it: {{ result.ask_user.answer }}."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
BOOKS = """
const ask = (name, message) => ({
  elicitations: {
    [name]: { message, requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } } },
  },
})
const { who, when } = args.elicitations ?? {}
if (!who) return ask('who', `Who goes to ${args.city}?`)
if (who.action !== 'accept') return { booked: false }
if (!when) return ask('when', 'When?')
await state.set('runs', (await state.get('runs') ?? 0) + 1)
return { booked: args.city, who: who.content.who, when: when.content?.when }"""
TOOL = {
    "description": "Books.",
    "parameter_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "code": BOOKS,
}
MODERN, LEGACY = ERAS
FILLED = {"who": "Ada", "when": "soon", "answer": "Oslo"}


@pytest.fixture(scope="module")
def agent(door: Gateway) -> str:
    """An agent of these tests alone, whose tool asks."""
    made = str(door.post("/agents", {"name": "asks by MCP"})["id"])
    door.put(f"/agents/{made}/tools/book", TOOL)
    door.put(f"/agents/{made}/exposed-tools", {"names": ["book"]})
    return made


@pytest.fixture(scope="module")
def token(door: Gateway, agent: str) -> str:
    return mcp_token(door, "forms", agent)


class Person:
    """Sees each form, and fills it in, or does as it is told."""

    def __init__(self, action: Literal["accept", "decline"] = "accept") -> None:
        self.action = action
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        (field,) = params.requested_schema["properties"]
        content: Any = {field: FILLED[field]} if self.action == "accept" else None
        return types.ElicitResult(action=self.action, content=content)


def opening(stack: Stack, token: str, by: str, mode: str, **more: Any) -> Any:
    return client(stack, token, mode, **more) if by == "http" else by_stdio(stack, token, mode, **more)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_the_agents_questions_are_forms_one_after_another(
    stack: Stack, token: str, by: str, mode: str
) -> None:
    person = Person()
    async with opening(stack, token, by, mode, elicitation_callback=person) as opened:
        done = await opened.call_tool("ask_agent", {"message": "ask me"})
    assert done.structured_content["answer"] == "So be it: Oslo.", done
    assert person.asked == ["Which city?", "And when?"]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_an_own_tool_asks_whoever_called_it(stack: Stack, token: str, by: str, mode: str) -> None:
    person = Person()
    async with opening(stack, token, by, mode, elicitation_callback=person) as opened:
        done = await opened.call_tool("book", {"city": "Bergen"})
    assert done.structured_content == {"booked": "Bergen", "who": "Ada", "when": "soon"}, done
    assert person.asked == ["Who goes to Bergen?", "When?"]


@pytest.mark.parametrize("mode", ERAS)
async def test_what_a_person_declines_the_tool_and_the_session_know(
    stack: Stack, token: str, mode: str
) -> None:
    async with client(stack, token, mode, elicitation_callback=Person("decline")) as opened:
        assert (await opened.call_tool("book", {"city": "Rome"})).structured_content == {"booked": False}
        waits = await opened.call_tool("ask_agent", {"message": "ask me"})
    assert waits.structured_content["status"] == "waiting_for_input"
    assert waits.structured_content["questions"][0]["asked"] == "Which city?"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_program_that_draws_no_forms_answers_an_own_tool_by_an_argument(
    stack: Stack, token: str, mode: str
) -> None:
    async with client(stack, token, mode) as opened:
        asked = await opened.call_tool("book", {"city": "Oslo"})
        (words,) = asked.content
        assert isinstance(words, types.TextContent)
        assert words.text.startswith("who: Who goes to Oslo?\nCall book again"), words
        assert asked.structured_content["elicitations"]["who"]["message"] == "Who goes to Oslo?"
        given = {
            name: {"action": "accept", "content": {name: one}}
            for name, one in (("who", "Bo"), ("when", "now"))
        }
        done = await opened.call_tool("book", {"city": "Oslo", "elicitations": given})
        assert done.structured_content == {"booked": "Oslo", "who": "Bo", "when": "now"}


async def test_a_call_that_asks_runs_once_under_its_key(stack: Stack, door: Gateway, agent: str) -> None:
    token = mcp_token(door, "keyed-forms", agent)
    door.put(f"/agents/{agent}/state/runs", {"value": 0})
    async with client(stack, token, LEGACY, elicitation_callback=Person()) as opened:
        meta: Any = {"foldline/key": "once"}
        first = await opened.call_tool("book", {"city": "Oslo"}, meta=meta)
        again = await opened.call_tool("book", {"city": "Oslo"}, meta=meta)
    assert first.structured_content == again.structured_content
    assert door.get(f"/agents/{agent}/state/runs")["value"] == 1


class Raw:
    """A 2025-11-25 program as it is on the wire."""

    def __init__(self, stack: Stack, token: str) -> None:
        self._url = f"{stack.url}/mcp"
        self.headers = {
            "authorization": f"Bearer {token}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-11-25",
        }
        self._client = httpx.AsyncClient(timeout=120, verify=NO_TLS)

    async def __aenter__(self) -> "Raw":
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._client.aclose()

    async def begin(self, capabilities: dict[str, Any]) -> str:
        """The id of its session."""
        info = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info}
        begun = await self.post({"id": 1, "method": "initialize", "params": params})
        self.headers["mcp-session-id"] = begun.headers["mcp-session-id"]
        return begun.headers["mcp-session-id"]

    async def post(self, message: dict[str, Any]) -> httpx.Response:
        body = {"jsonrpc": "2.0", **message}
        return await self._client.post(self._url, json=body, headers=self.headers)

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """The stream of a call."""
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        return self._client.stream("POST", self._url, json=body, headers=self.headers)


async def events(response: httpx.Response) -> Any:
    """What comes on a stream."""
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line[6:])


async def test_only_the_program_that_was_asked_answers_and_only_once(
    stack: Stack, door: Gateway, agent: str, token: str
) -> None:
    other_token = mcp_token(door, "another", agent)
    async with Raw(stack, token) as asked, Raw(stack, other_token) as other:
        assert (await asked.begin({"elicitation": {}})) != (await asked.begin({"elicitation": {}}))
        await other.begin({"elicitation": {}})
        filled = {"action": "accept", "content": {"who": "Ada"}}
        async with asked.call("book", {"city": "Oslo"}) as answer:
            seen = events(answer)
            question = await anext(seen)
            assert question["method"] == "elicitation/create"
            wrong = {**filled, "content": {"who": "Eve"}}
            for who, brought in (
                (other, {"id": question["id"], "result": wrong}),
                (asked, {"id": "q" + "x" * 24, "result": wrong}),
                (asked, {"id": 7, "result": wrong}),
                (asked, {"id": question["id"], "result": filled}),
                (asked, {"id": question["id"], "result": wrong}),
            ):
                assert (await who.post(brought)).status_code == 202
            second = await anext(seen)
            assert second["params"]["message"] == "When?"
            assert second["id"] != question["id"]
            await asked.post({"id": second["id"], "error": {"code": -1, "message": "no"}})
            done = await anext(seen)
        assert done["result"]["structuredContent"] == {"booked": "Oslo", "who": "Ada"}, "nobody said when"


async def test_answers_come_through_while_as_many_calls_wait_as_may(stack: Stack, token: str) -> None:
    async with Raw(stack, token) as raw:
        await raw.begin({"elicitation": {"form": {}}})

        async def called() -> dict[str, Any]:
            async with raw.call("book", {"city": "Oslo"}) as answer:
                async for told in events(answer):
                    if "result" in told:
                        return dict(told["result"])
                    waiting.append(told["id"])
                    if len(waiting) == 32:
                        full.set()
                    await full.wait()
                    filled = {"action": "decline"}
                    assert (await raw.post({"id": told["id"], "result": filled})).status_code == 202
            raise AssertionError("no result")

        waiting: list[str] = []
        full = asyncio.Event()
        done = await asyncio.gather(*(called() for _ in range(32)))
        assert [one["structuredContent"] for one in done] == [{"booked": False}] * 32


async def test_a_session_is_what_its_id_says_and_one_that_is_none_is_begun_anew(
    stack: Stack, token: str
) -> None:
    async with Raw(stack, token) as raw:
        without: list[dict[str, Any]] = [{}, {"elicitation": {"url": {}}}]
        for capabilities in without:
            await raw.begin(capabilities)
            async with raw.call("book", {"city": "Oslo"}) as answer:
                told = await anext(events(answer))
            assert "Call book again" in told["result"]["content"][0]["text"], "it draws no forms"
        raw.headers["mcp-session-id"] = "0123456789abcdef"
        assert (await raw.post({"id": 2, "method": "tools/list"})).status_code == 404
        del raw.headers["mcp-session-id"]
        assert (await raw.post({"id": 2, "method": "tools/list"})).status_code == 200
        large = {"id": "q" + "x" * 24, "result": {"content": "x" * 300_000}}
        assert (await raw.post(large)).status_code == 413

"""Programs use an agent by MCP, in both eras of the protocol, and can do no more than their token says."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline_testing.product.command import Command
from foldline_testing.product.mcp_clients import ERAS, by_stdio, client, mcp_token
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

LONG = "".join(f"All of part {n}. " for n in range(6_000))
FIELDS = [
    {"name": "city", "type": "text", "label": "City", "required": True},
    {"name": "days", "type": "number", "label": "Days", "required": False},
    {"name": "how", "type": "select", "label": "How", "options": ["train", "ship"], "required": True},
]
FORM = {"blocks": [{"type": "form", "submitLabel": "Book", "fields": FIELDS}]}
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "ask me"},
            "turns": [
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Which city?"}}]},
                {"text": "You said {{ result.ask_user.answer }}."},
            ],
        },
        {
            "when": {"user_contains": "a form"},
            "turns": [
                {"tool_calls": [{"name": "render_blocks", "arguments": FORM}]},
                {"text": "By {{ result.render_blocks.data.how }}."},
            ],
        },
        {
            "when": {"user_contains": "send it"},
            "turns": [
                {
                    "tool_calls": [
                        {
                            "name": "fetch_url",
                            "arguments": {"url": "https://example.org/", "method": "POST", "body": "x"},
                        }
                    ]
                },
                {"text": "Sent."},
            ],
        },
        {
            "when": {"user_contains": "take your time"},
            "reply": {"text": "Done at last.", "pace": {"first": 1.5}},
        },
        {"when": {"user_contains": "a long answer"}, "reply": {"text": LONG}},
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
TOOL = {
    "description": "Doubles.",
    "parameter_schema": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
    "code": "return { twice: args.n * 2 }",
}
COUNTS = {
    "description": "Counts.",
    "parameter_schema": {"type": "object", "properties": {"by": {"type": "number"}}},
    "code": "const n = (await state.get('n') ?? 0) + (args.by ?? 1); await state.set('n', n); return { n }",
}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SHOWS = {
    "description": "Shows a picture.",
    "parameter_schema": {"type": "object", "properties": {"wrong": {"type": "boolean"}}},
    "code": f"""
const picture = {{ type: 'image', data: '{PIXEL}', mimeType: 'image/png' }}
return {{ content: [{{ type: 'text', text: 'Look:' }}, args.wrong ? {{ type: 'nonsense' }} : picture] }}""",
}
SENDS = {
    "description": "Sends something out.",
    "parameter_schema": {"type": "object", "properties": {}},
    "code": "return (await fetch('https://example.org/', { method: 'POST', body: 'x' })).status",
}


@pytest.fixture(scope="module")
def agent(door: Gateway) -> str:
    """An agent of these tests alone."""
    return str(door.post("/agents", {"name": "asked by MCP"})["id"])


@pytest.fixture(scope="module")
def token(door: Gateway, agent: str) -> Iterator[str]:
    """One for everything."""
    yield mcp_token(door, "all", agent)
    door.delete("/program-tokens/all")


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, types.TextContent))


@pytest.mark.parametrize("mode", ERAS)
async def test_the_agent_is_asked_and_the_session_goes_on(
    stack: Stack, door: Gateway, token: str, agent: str, mode: str
) -> None:
    told: list[str] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with client(stack, token, mode) as opened:
        first = await opened.call_tool("ask_agent", {"message": "hello"}, progress_callback=progress)
        session = first.structured_content["session"]
        second = await opened.call_tool("ask_agent", {"message": "and you?", "session": session})
    assert first.structured_content["answer"] == "You said: hello"
    assert "You said: hello" in text_of(first)
    assert second.structured_content["answer"] == "You said: and you?"
    assert any(session in line for line in told), "it says at once which session it is, and that it goes on"
    assert door.get(f"/sessions/{session}")["agent_id"] == agent


async def test_the_same_key_says_a_message_once(stack: Stack, door: Gateway, token: str) -> None:
    asked = {"message": "only once", "key": "k-1"}
    async with client(stack, token) as opened:
        first, again = [await opened.call_tool("ask_agent", asked) for _ in range(2)]
    assert first.structured_content == again.structured_content
    said = [one["text"] for one in messages(door, first.structured_content["session"])]
    assert said.count("only once") == 1


async def test_a_question_of_the_agent_is_an_elicitation(stack: Stack, token: str) -> None:
    asked: list[types.ElicitRequestParams] = []

    async def oslo(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params)
        return types.ElicitResult(action="accept", content={"answer": "Oslo"})

    async with client(stack, token, elicitation_callback=oslo) as opened:
        found = await opened.call_tool("ask_agent", {"message": "ask me"})
    assert [one.message for one in asked] == ["Which city?"]
    assert found.structured_content["answer"] == "You said Oslo."


async def test_a_form_of_the_agent_is_an_elicitation(stack: Stack, token: str) -> None:
    asked: list[Any] = []

    async def filled(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params)
        return types.ElicitResult(action="accept", content={"city": "Oslo", "how": "ship"})

    async with client(stack, token, elicitation_callback=filled) as opened:
        found = await opened.call_tool("ask_agent", {"message": "a form"})
    assert asked, text_of(found)
    assert asked[0].requested_schema["properties"]["how"]["enum"] == ["train", "ship"]
    assert asked[0].requested_schema["required"] == ["city", "how"]
    assert found.structured_content["answer"] == "By ship."


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_draws_no_forms_is_told_what_waits_and_answers_by_a_message(
    stack: Stack, token: str, mode: str
) -> None:
    async with client(stack, token, mode) as opened:
        found = await opened.call_tool("ask_agent", {"message": "ask me"})
        told = found.structured_content
        assert (told["status"], told["questions"][0]["asked"]) == ("waiting_for_input", "Which city?")
        assert told["questions"][0]["call_id"]
        assert f"ask_agent(session='{told['session']}'" in text_of(found)
        answered = await opened.call_tool("ask_agent", {"message": "Rome", "session": told["session"]})
    assert answered.structured_content["answer"] == "You said Rome."


async def test_a_declined_question_goes_on_waiting(stack: Stack, token: str) -> None:
    async def no(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="decline")

    async with client(stack, token, elicitation_callback=no) as opened:
        found = await opened.call_tool("ask_agent", {"message": "ask me"})
    assert found.structured_content["status"] == "waiting_for_input"


async def test_no_client_allows_what_waits_for_a_persons_yes(stack: Stack, door: Gateway, token: str) -> None:
    async def yes(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        raise AssertionError("it must not be asked")

    async with client(stack, token, elicitation_callback=yes) as opened:
        found = await opened.call_tool("ask_agent", {"message": "send it"})
        told = found.structured_content
        assert "Only a person can allow it" in text_of(found)
        again = {"message": "yes, do it", "session": told["session"], "wait_seconds": 1}
        await opened.call_tool("ask_agent", again)
    call_id = told["questions"][0]["call_id"]
    assert [one["call_id"] for one in door.get("/approvals")["items"] if one["call_id"] == call_id]


async def test_whoever_leaves_a_call_stops_nothing(stack: Stack, door: Gateway, token: str) -> None:
    heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        if not heard.done():
            heard.set_result((message or "").split()[1].rstrip(":"))

    async with client(stack, token) as opened:
        asking = asyncio.create_task(
            opened.call_tool("ask_agent", {"message": "take your time"}, progress_callback=progress)
        )
        session = await asyncio.wait_for(heard, 60)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        found = await opened.call_tool("ask_agent", {"message": "and now?", "session": session})
    assert found.structured_content["answer"] == "You said: and now?"
    assert "Done at last." in [one["text"] for one in messages(door, session)]


async def test_a_wait_that_is_over_says_how_to_go_on(stack: Stack, token: str) -> None:
    async with client(stack, token) as opened:
        found = await opened.call_tool("ask_agent", {"message": "take your time", "wait_seconds": 0})
        assert found.structured_content["status"] == "running"
        assert "still at work" in text_of(found)
        read = await opened.call_tool("read_session", {"session": found.structured_content["session"]})
    assert read.structured_content["items"][0]["text"] == "take your time"


async def test_what_is_long_comes_in_pieces(stack: Stack, token: str) -> None:
    async with client(stack, token) as opened:
        found = await opened.call_tool("ask_agent", {"message": "a long answer"})
        assert len(text_of(found)) < 50_000
        address = int(text_of(found).partition("read_event(address=")[2].partition(")")[0])
        whole = ""
        offset: Any = 0
        while offset is not None:
            arguments = {"address": f"{address}.0", "offset": offset}
            piece = await opened.call_tool("read_event", arguments)
            if piece.is_error:
                piece = await opened.call_tool("read_event", {**arguments, "address": address})
            whole += piece.structured_content["piece"]
            offset = piece.structured_content["next_offset"]
    assert LONG.strip() in json.loads(whole)["body"]["text"]


async def test_the_past_is_read_and_forked_and_nothing_is_taken_back(stack: Stack, token: str) -> None:
    async with client(stack, token) as opened:
        first = (await opened.call_tool("ask_agent", {"message": "one"})).structured_content
        session, then = first["session"], first["last_sequence"]
        await opened.call_tool("ask_agent", {"message": "two", "session": session})
        state = await opened.call_tool("state_at", {"session": session, "at": then})
        preview = await opened.call_tool("preview_rewind", {"session": session, "to": then})
        forked = await opened.call_tool(
            "fork_session", {"session": session, "at": then, "title": "Quite another way"}
        )
        other = forked.structured_content["session"]
        went = await opened.call_tool("ask_agent", {"message": "three", "session": other})
        listed = await opened.call_tool("list_sessions", {"query": "Quite another way"})
    assert [one["text"] for one in state.structured_content["messages"]] == ["one", "You said: one"]
    assert [one["text"] for one in preview.structured_content["hidden"]] == ["two", "You said: two"]
    assert went.structured_content["answer"] == "You said: three"
    assert [one["id"] for one in listed.structured_content["items"]] == [other]


async def test_a_token_opens_its_agent_alone_and_only_what_it_is_for(
    stack: Stack, door: Gateway, token: str, agent: str
) -> None:
    elsewhere = door.post("/sessions", {"message": "a secret of the default agent"})["id"]
    event = door.get(f"/sessions/{elsewhere}/events")["items"][0]["address"]
    reads = mcp_token(door, "reads", agent, ["read"])
    async with client(stack, token) as opened:
        for name, arguments in (
            ("ask_agent", {"message": "hi", "session": elsewhere}),
            ("read_session", {"session": elsewhere}),
            ("state_at", {"session": elsewhere}),
            ("fork_session", {"session": elsewhere, "at": 1}),
            ("preview_rewind", {"session": elsewhere, "to": 1}),
            ("read_event", {"address": event}),
        ):
            refused = await opened.call_tool(name, arguments)
            assert refused.is_error
            assert refused.structured_content["error"]["kind"] == "not_found", name
        listed = await opened.call_tool("list_sessions", {"limit": 100})
        assert elsewhere not in [one["id"] for one in listed.structured_content["items"]]
    async with client(stack, reads) as opened:
        names = {one.name for one in (await opened.list_tools()).tools}
        assert names == {"list_sessions", "read_session", "read_event", "state_at", "preview_rewind"}
        with pytest.raises(MCPError, match="no tool 'ask_agent' that this token may use"):
            await opened.call_tool("ask_agent", {"message": "hi"})
    door.delete("/program-tokens/reads")


async def test_bad_arguments_are_results_that_a_model_can_act_on(stack: Stack, token: str) -> None:
    async with client(stack, token) as opened:
        for name, arguments in (
            ("ask_agent", {}),
            ("ask_agent", {"message": "hi", "sesion": "s"}),
            ("ask_agent", {"message": "hi", "wait_seconds": 10_000}),
            ("read_event", {"address": "first"}),
            ("read_event", {"address": 0}),
            ("read_session", {"session": "../etc"}),
            ("state_at", {"session": "s_nobody", "at": 3}),
        ):
            refused = await opened.call_tool(name, arguments)
            assert refused.is_error, (name, arguments)
            assert refused.structured_content["error"]["message"]
        with pytest.raises(MCPError):
            await opened.call_tool("no_such_tool", {})


async def test_the_agents_own_tools_run_once_a_person_exposes_them_and_under_its_policy(
    stack: Stack, door: Gateway, token: str, agent: str
) -> None:
    for name, tool in (("double", TOOL), ("sends", SENDS)):
        door.put(f"/agents/{agent}/tools/{name}", tool)
    async with client(stack, token) as opened:
        assert "double" not in {one.name for one in (await opened.list_tools()).tools}
        with pytest.raises(MCPError):
            await opened.call_tool("double", {"n": 4})
        door.put(f"/agents/{agent}/exposed-tools", {"names": ["double", "sends"]})
        offered = {one.name: one for one in (await opened.list_tools(cache_mode="bypass")).tools}
        assert offered["double"].input_schema["required"] == ["n"]
        found = await opened.call_tool("double", {"n": 4})
        assert found.structured_content == {"twice": 8}
        wrong = await opened.call_tool("double", {"n": "four"})
        assert wrong.structured_content["error"]["kind"] == "invalid_request"
        leaves = await opened.call_tool("sends", {})
        assert leaves.is_error
        assert leaves.structured_content["error"]["kind"] == "approval_needed", text_of(leaves)
        rule = {"verdict": "deny", "match": {"tool": "double"}}
        door.put(f"/agents/{agent}/policy", {"preset": "balanced", "rules": [rule]})
        denied = await opened.call_tool("double", {"n": 4})
        assert denied.structured_content["error"]["kind"] == "not_permitted"
        door.put(f"/agents/{agent}/policy", {"preset": "balanced", "rules": []})
        door.patch(f"/agents/{agent}/tools/double", {"enabled": False})
        with pytest.raises(MCPError):
            await opened.call_tool("double", {"n": 4})
    with pytest.raises(Failure) as refused:
        door.put(f"/agents/{agent}/exposed-tools", {"names": ["fetch_url"]})
    assert refused.value.kind == "not_found", "only its own"


@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_an_own_tool_that_is_called_again_with_its_key_runs_once(
    stack: Stack, door: Gateway, token: str, agent: str, by: str
) -> None:
    door.put(f"/agents/{agent}/tools/counts", COUNTS)
    door.put(f"/agents/{agent}/exposed-tools", {"names": ["counts"]})
    door.put(f"/agents/{agent}/state/n", {"value": 0})
    opening = client(stack, token) if by == "http" else by_stdio(stack, token, ERAS[0])
    async with opening as opened:

        async def counted(key: object, **arguments: int) -> Any:
            meta: Any = {"foldline/key": key}
            return await opened.call_tool("counts", arguments, meta=meta)

        first, again, other = [await counted(key) for key in (f"{by}-1", f"{by}-1", f"{by}-2")]
        assert [one.structured_content for one in (first, again, other)] == [{"n": 1}, {"n": 1}, {"n": 2}]
        changed = await counted(f"{by}-1", by=5)
        assert changed.structured_content["error"]["kind"] == "idempotency_mismatch", text_of(changed)
        for wrong in ("", "x" * 300, 7, "é"):
            refused = await counted(wrong)
            assert refused.is_error, wrong
    assert door.get(f"/agents/{agent}/state/n")["value"] == 2


async def test_an_own_tool_may_give_pictures_and_what_is_none_is_sent_as_it_is(
    stack: Stack, door: Gateway, token: str, agent: str
) -> None:
    door.put(f"/agents/{agent}/tools/shows", SHOWS)
    door.put(f"/agents/{agent}/exposed-tools", {"names": ["shows"]})
    async with client(stack, token) as opened:
        shown = await opened.call_tool("shows", {})
        picture = types.ImageContent(type="image", data=PIXEL, mime_type="image/png")
        assert shown.content == [types.TextContent(type="text", text="Look:"), picture]
        plain = await opened.call_tool("shows", {"wrong": True})
        assert plain.structured_content["content"][1] == {"type": "nonsense"}


def test_no_token_no_answer_and_no_other_door_opens_by_it(
    stack: Stack, door: Gateway, token: str, agent: str
) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"Accept": "application/json, text/event-stream"}
    revoked = mcp_token(door, "gone", agent)
    door.delete("/program-tokens/gone")
    for offered in (None, "wrong", stack.token, revoked, token[:-1]):
        headers = accept | ({} if offered is None else {"Authorization": f"Bearer {offered}"})
        found = httpx.post(f"{stack.url}/mcp", json=ping, headers=headers, timeout=60)
        assert found.status_code == 401, offered
        assert found.headers["www-authenticate"] == "Bearer"
    mine = accept | {"Authorization": f"Bearer {token}"}
    assert httpx.post(f"{stack.url}/mcp", json=ping, headers=mine, timeout=60).status_code == 200
    for path in ("/", "/api/v1/sessions", "/api/v1/program-tokens", "/api/v1/events", "/api/v1/settings"):
        assert httpx.get(stack.url + path, headers=mine, timeout=60).status_code == 403
    foreign = mine | {"Origin": "https://evil.example"}
    assert httpx.post(f"{stack.url}/mcp", json=ping, headers=foreign, timeout=60).status_code == 403
    rebound = mine | {"Host": "evil.example"}
    assert httpx.post(f"{stack.url}/mcp", json=ping, headers=rebound, timeout=60).status_code == 403
    assert httpx.get(f"{stack.url}/mcp", headers=mine, timeout=60).status_code == 405
    assert httpx.delete(f"{stack.url}/mcp", headers=mine, timeout=60).status_code == 405
    large = httpx.post(f"{stack.url}/mcp", content=b" " * 1_500_000, headers=mine, timeout=60)
    assert large.status_code == 413
    assert token not in json.dumps(door.get("/program-tokens"))


@pytest.mark.parametrize("mode", ERAS)
async def test_by_stdio_both_eras_are_asked_what_the_agent_asks(stack: Stack, token: str, mode: str) -> None:
    told: list[str] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def bergen(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"answer": "Bergen"})

    async with by_stdio(stack, token, mode, elicitation_callback=bergen) as opened:
        assert "ask_agent" in {one.name for one in (await opened.list_tools()).tools}
        found = await opened.call_tool("ask_agent", {"message": "ask me"}, progress_callback=progress)
        assert found.structured_content["answer"] == "You said Bergen."
        refused = await opened.call_tool("read_event", {"address": "first"})
        assert refused.is_error
        with pytest.raises(MCPError, match="no tool 'nobody' that this token may use"):
            await opened.call_tool("nobody", {})
    assert any("Session s_" in line for line in told)


async def test_by_stdio_a_revoked_token_is_an_error_and_no_hang(
    stack: Stack, door: Gateway, agent: str
) -> None:
    gone = mcp_token(door, "gone-too", agent)
    async with by_stdio(stack, gone, "legacy") as opened:
        assert await opened.list_tools()
        door.delete("/program-tokens/gone-too")
        with pytest.raises(MCPError):
            await asyncio.wait_for(opened.call_tool("ask_agent", {"message": "hi"}), 60)


def test_the_command_line_makes_lists_and_revokes_tokens_and_exposes_tools(
    stack: Stack, door: Gateway, tmp_path: Path
) -> None:
    foldline = Command(stack.data_dir, tmp_path)
    assert "No program has" in foldline("program-tokens").out or "all" in foldline("program-tokens").out
    new = foldline("program-tokens", "create", "desk", "--right", "read", "--json").json
    assert new["program"]["rights"] == ["read"]
    again = foldline("program-tokens", "create", "desk")
    assert (again.code, "desk already" in again.err) == (1, True)
    assert new["token"] not in foldline("program-tokens", "list", "--json").out
    assert foldline("program-tokens", "revoke", "desk").code == 0
    assert foldline("program-tokens", "revoke", "desk").code == 1
    exposed = foldline("tools", "expose", "todo", "--json")
    assert exposed.json["names"] == ["todo"], exposed.err
    assert "exposed" in foldline("tools").out
    assert foldline("tools", "hide", "todo", "--json").json["names"] == []
    assert "FOLDLINE_MCP_TOKEN" in foldline("mcp", "serve").err


async def test_what_a_client_brings_back_of_a_question_is_checked_like_any_argument(
    stack: Stack, door: Gateway, token: str
) -> None:
    elsewhere = door.post("/sessions", {"message": "of the default agent"})["id"]
    accepted = types.ElicitResult(action="accept", content={"decision": "once"})
    yes: dict[str, types.InputResponse] = {"answer": accepted}
    async with client(stack, token) as opened:
        told = (await opened.call_tool("ask_agent", {"message": "send it"})).structured_content
        waits, after = told["questions"][0]["call_id"], told["last_sequence"]
        for forged, kind in (
            ({"session": told["session"], "after": after, "call": waits}, "not_permitted"),
            ({"session": elsewhere, "after": 1}, "not_found"),
            ({"session": told["session"], "after": 10**12}, "invalid_request"),
            ({"session": 7}, "invalid_request"),
        ):
            state = json.dumps(forged)
            refused = await opened.call_tool(
                "ask_agent", {"message": "x"}, input_responses=yes, request_state=state
            )
            assert refused.structured_content["error"]["kind"] == kind, forged
    assert waits in [one["call_id"] for one in door.get("/approvals")["items"]]

"""A program's token opens what its rights say, and nothing else."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.records import event_of
from agent_contracts.policies import APPROVAL
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.inputs import ToolResponse, UserMessage
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.running import RunningGateway, Start
from gateway.http.api import api
from gateway.http.openapi_document import document
from gateway.http.wire.rights import ProgramRoute, right_of

EVERY = tuple(ProgramRight)
OPERATIONS = [
    (method.upper(), path, operation)
    for path, methods in document(api())["paths"].items()
    for method, operation in methods.items()
    if path.startswith("/api/v1/")
]
CHANGES = {
    ("POST", "/sessions"): "say",
    ("POST", "/sessions/{session_id}/messages"): "say",
    ("POST", "/sessions/{session_id}:interrupt"): "say",
    ("POST", "/sessions/{session_id}:retry"): "say",
    ("POST", "/files"): "say",
    ("POST", "/sessions/{session_id}:fork"): "fork",
    ("POST", "/approvals/{waiting_id}"): "approve",
    ("POST", "/questions/{waiting_id}"): "approve",
}
"""All that a program can do beside reading."""
FOR_PEOPLE = re.compile(
    "/(settings|model-adaptations|dead-letters|outcomes|runners|activity|stuck|logins|notifications|inbox"
    "|program-tokens|wake-credentials|wake-users|chat-channels|chat-partners)(/.*)?"
    "|/files/{file_id}/app|/sessions/.*/browser"
    "|/agents/{agent_id}/(secrets|site-logins|settings|mcp-servers|mcp-prompts|bisection)(/.*)?"
)
"""All that a program can't read."""


async def made(gateway: RunningGateway, name: str, rights: Sequence[str], agent: str | None = None) -> str:
    body = {"name": name, "agent_id": agent, "rights": list(rights)}
    answer = await gateway.client.post("/api/v1/program-tokens", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


@asynccontextmanager
async def program(gateway: RunningGateway, token: str) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=gateway.url, headers=headers, verify=NO_TLS, timeout=30) as client:
        yield client


async def asked(client: httpx.AsyncClient, method: str, path: str) -> tuple[int, Any]:
    """A stream has no end: of it only the beginning is read."""
    async with client.stream(method, re.sub(r"{\w+}", "1", path)) as answer:
        if answer.status_code == 403:
            await answer.aread()
            return 403, answer.json()
        return answer.status_code, None


def test_each_route_of_the_api_looks_at_rights_and_says_which_in_openapi() -> None:
    routes = [one for one in api().routes if str(getattr(one, "path", "")).startswith("/api/v1")]
    assert len(routes) >= len(OPERATIONS)
    assert all(isinstance(one, ProgramRoute) for one in routes)
    for method, path, operation in OPERATIONS:
        right, below = right_of(method, path), path.removeprefix("/api/v1")
        named = [one["program"] for one in operation.get("security", ()) if "program" in one]
        assert named == ([] if right is None else [[right.value]]), path
        if method == "GET":
            assert right == (None if FOR_PEOPLE.fullmatch(below) else "read"), path
        else:
            assert right == CHANGES.get((method, below)), (method, path)


async def test_what_no_right_opens_is_refused_and_all_else_needs_its_right(gateway: RunningGateway) -> None:
    everything = await made(gateway, "all", EVERY)
    lacking = {one: await made(gateway, f"no-{one}", [two for two in EVERY if two != one]) for one in EVERY}
    before, few = await gateway.log.last_sequence(), asyncio.Semaphore(12)

    async def tried(method: str, path: str) -> None:
        right = right_of(method, path)
        async with few, program(gateway, everything) as client:
            status, problem = await asked(client, method, path)
            if right is None:
                assert (status, problem["kind"]) == (403, "not_permitted"), path
                assert "only a person" in problem["detail"]
                return
            assert status not in (401, 403), (path, problem)
        async with few, program(gateway, lacking[right]) as client:
            status, problem = await asked(client, method, path)
        assert (status, problem["kind"], problem["right"]) == (403, "not_permitted", right), path
        assert f"lacks the right `{right}`" in problem["detail"]

    await asyncio.gather(*(tried(method, path) for method, path, _ in OPERATIONS))
    begun = {("POST", "/api/v1/sessions")}
    assert await gateway.log.last_sequence() <= before + 2 * len(begun), "nothing else was written"


async def test_outside_of_the_api_it_opens_only_the_description_of_it(gateway: RunningGateway) -> None:
    async with program(gateway, await made(gateway, "all", EVERY)) as client:
        for path in ("/", "/metrics", "/login/", "/assets/app.js"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["kind"]) == (403, "not_permitted"), path
        for path in ("/api/openapi.json", "/api/asyncapi.json"):
            assert (await client.get(path)).status_code == 200
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        answer = await client.post("/mcp", json=ping)
        assert (answer.status_code, answer.json()["kind"]) == (403, "not_permitted"), "MCP is of one agent"


async def test_of_one_agent_it_opens_no_other(gateway: RunningGateway) -> None:
    mine, other = [
        (await gateway.client.post("/api/v1/agents", json={"name": name})).json()["id"] for name in "AB"
    ]
    theirs = (await gateway.client.post("/api/v1/sessions", json={"agent_id": other})).json()["id"]
    async with program(gateway, await made(gateway, "one", EVERY, mine)) as client:
        begun = await client.post("/api/v1/sessions", json={})
        assert (begun.status_code, begun.json()["agent_id"]) == (201, mine)
        own = begun.json()["id"]
        assert (await client.post(f"/api/v1/sessions/{own}:interrupt")).status_code == 202
        message = {"text": "hello"}
        for method, path, body in (
            ("POST", "/sessions", {"agent_id": other}),
            ("POST", f"/sessions/{theirs}/messages", message),
            ("POST", f"/sessions/{theirs}:fork", {"at": 1}),
            ("POST", f"/approvals/{theirs}.c1", {"decision": "once"}),
            ("POST", f"/questions/{theirs}.c1", {"answer": "x"}),
            ("GET", f"/sessions/{theirs}/events", None),
            ("GET", f"/agents/{other}/files", None),
            ("GET", f"/agents/{mine}/files?session_id={theirs}", None),
            ("GET", "/sessions", None),
            ("GET", f"/sessions?agent_id={other}", None),
            ("GET", f"/sessions?agent_id={mine}&agent_id={other}", None),
            ("GET", f"/approvals?session_id={theirs}", None),
            ("GET", "/events", None),
            ("GET", f"/events?agent_id={mine}&watch={theirs}", None),
            ("GET", "/files/f_1/content", None),
            ("GET", "/agents", None),
        ):
            answer = await client.request(method, f"/api/v1{path}", json=body)
            assert (answer.status_code, answer.json()["kind"]) == (403, "not_permitted"), path
            assert mine in answer.json()["detail"]


async def test_what_it_says_carries_its_name_and_it_can_say_nothing_unmarked(gateway: RunningGateway) -> None:
    async with program(gateway, await made(gateway, "desk", ["read", "say", "fork"])) as client:
        session = (await client.post("/api/v1/sessions", json={"message": "one"})).json()["id"]
        said = await client.post(f"/api/v1/sessions/{session}/messages", json={"text": "two"})
        assert said.status_code == 202
        forked = await client.post(f"/api/v1/sessions/{session}:fork", json={"at": 1, "message": "three"})
        assert (forked.status_code, forked.json()["kind"]) == (403, "not_permitted")
        chosen = {"prompt": {"server": "s", "name": "n", "arguments": {}}}
        prompted = await client.post(f"/api/v1/sessions/{session}/messages", json=chosen)
        assert (prompted.status_code, prompted.json()["kind"]) == (403, "not_permitted")
    events = [found.event for one in await gateway.stored(session) if (found := event_of(one))]
    messages = [one for one in events if isinstance(one, UserMessage)]
    assert [(one.text, one.client) for one in messages] == [("one", "desk"), ("two", "desk")]


async def test_it_allows_a_call_once_as_it_is_or_refuses_it(gateway: RunningGateway) -> None:
    session = SessionId(await gateway.new_session(message="hi"))
    calls = [CallId("c1"), CallId("c2")]
    for call in calls:
        asks = ToolCallRequested(
            call, "fetch_url", {"url": "https://a.example"}, RunsOn.TOOLS, Effect.EXTERNAL
        )
        await gateway.decided(session, asks)
        show: dict[str, Any] = {"kind": APPROVAL, "tool": "fetch_url", "rule": "It leaves", "version": 0}
        await gateway.resulted(session, ToolCallPending(call_id=call, show=show, runner="r"))
    path = f"/api/v1/approvals/{session}"
    async with program(gateway, await made(gateway, "desk", ["approve"])) as client:
        for lasting in (
            {"decision": "always"},
            {"decision": "once", "arguments": {"url": "https://b.example"}},
        ):
            refused = await client.post(f"{path}.c1", json=lasting)
            assert (refused.status_code, refused.json()["kind"]) == (403, "not_permitted")
        for call, decision in zip(calls, ("once", "refuse"), strict=True):
            answered = await client.post(f"{path}.{call}", json={"decision": decision})
            assert answered.status_code == 202, answered.text
    events = [found.event for one in await gateway.stored(session) if (found := event_of(one))]
    answers = [one for one in events if isinstance(one, ToolResponse)]
    assert [one.client for one in answers] == ["desk", "desk"]
    decided = [one.response["decision"] for one in answers if isinstance(one.response, dict)]
    assert decided == ["once", "refuse"]


async def test_a_wrong_or_revoked_one_opens_nothing_and_ends_what_it_had_opened(start: Start) -> None:
    gateway = await start()
    token = await made(gateway, "desk", ["read"])
    async with program(gateway, token) as client, client.stream("GET", "/api/v1/events") as stream:
        assert stream.status_code == 200
        await gateway.client.delete("/api/v1/program-tokens/desk")
        await gateway.client.post("/api/v1/sessions", json={})
        async with asyncio.timeout(20):
            heard = b"".join([piece async for piece in stream.aiter_raw()])
        assert b"foldline.session.created" not in heard
        again = await client.get("/api/v1/sessions")
        assert (again.status_code, again.json()["kind"]) == (401, "unauthorized")
    async with program(gateway, "pt_desk_guess") as client:
        assert (await client.get("/api/v1/sessions")).status_code == 401


async def test_where_no_token_is_asked_for_a_programs_is_still_narrow(start: Start) -> None:
    gateway = await start(token=None)
    async with program(gateway, await made(gateway, "desk", ["read"])) as client:
        assert (await client.post("/api/v1/sessions", json={})).status_code == 403
        assert (await client.get("/api/v1/secrets")).status_code in (403, 404)


async def test_it_sends_files_with_what_it_says_to_its_chat_and_nowhere_else(gateway: RunningGateway) -> None:
    mine, other = [
        (await gateway.client.post("/api/v1/agents", json={"name": name})).json()["id"] for name in "CD"
    ]
    theirs = (await gateway.client.post("/api/v1/sessions", json={"agent_id": other})).json()["id"]
    sent = {"file": ("a.txt", b"what it says")}
    async with program(gateway, await made(gateway, "files", ["read", "say"], mine)) as client:
        own = (await client.post("/api/v1/sessions", json={})).json()["id"]
        stored = await client.post("/api/v1/files", files=sent, data={"session_id": own})
        assert stored.status_code == 201, stored.text
        [file] = stored.json()["items"]
        said = {"text": "Read it", "files": [file["file_id"]]}
        assert (await client.post(f"/api/v1/sessions/{own}/messages", json=said)).status_code == 202
        nowhere: tuple[dict[str, str], ...] = ({}, {"agent_id": mine}, {"session_id": theirs})
        for where in (*nowhere, {"session_id": own, "scope": "agent"}):
            refused = await client.post("/api/v1/files", files=sent, data=where)
            assert (refused.status_code, refused.json()["kind"]) == (403, "not_permitted"), where
    async with program(gateway, await made(gateway, "reads", ["read"], mine)) as client:
        refused = await client.post("/api/v1/files", files=sent, data={"session_id": own})
        assert (refused.status_code, refused.json()["right"]) == (403, "say")
    assert (await gateway.client.post("/api/v1/files", files=sent, data={"agent_id": mine})).is_success


async def test_it_tells_for_whom_it_speaks_and_a_person_speaks_for_themselves(
    gateway: RunningGateway,
) -> None:
    agent = (await gateway.client.post("/api/v1/agents", json={"name": "E"})).json()["id"]
    said = {"text": "hello", "speaker": "Anna"}
    async with program(gateway, await made(gateway, "telegram", ["say"], agent)) as client:
        own = (await client.post("/api/v1/sessions", json={})).json()["id"]
        taken = await client.post(f"/api/v1/sessions/{own}/messages", json=said)
        assert taken.status_code == 202, taken.text
        for name in ("", " ", "a" * 101, "An\nna"):
            refused = await client.post(f"/api/v1/sessions/{own}/messages", json={**said, "speaker": name})
            assert refused.status_code == 422, name
    stored = await gateway.log.get(taken.json()["sequence"])
    recorded = event_of(stored) if stored else None
    event = recorded.event if recorded else None
    assert isinstance(event, UserMessage)
    assert (event.client, event.speaker) == ("telegram", "Anna")
    refused = await gateway.client.post(f"/api/v1/sessions/{own}/messages", json=said)
    assert (refused.status_code, refused.json()["path"]) == (422, "/speaker")

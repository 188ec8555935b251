"""Calls of tools by apps, as the gateway takes them: only from an app of the session, for its own server."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agent_contracts.api.calls import CallForApp, ReadForApp
from agent_contracts.entities.mcp_tools import READ_MCP_RESOURCE
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, Rejected, ToolError, Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Source
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.app_calls import LARGEST_ARGUMENTS
from gateway.operations.sessions.creation import NewSession

Calls = Callable[..., Awaitable[Json]]
CALL = CallId("m000003-00")


@pytest.fixture
async def session(memory: InMemory) -> SessionId:
    """Of a call that brought an app, and of one that brought none."""
    await memory.operations.agents.make_default()
    made = SessionId((await memory.operations.creation.create(NewSession(), asked())).id)
    for call_id, result in (
        (CALL, {"text": "x", "app": {"file_id": "f1"}}),
        (CallId("m000003-01"), {"text": "x"}),
    ):
        request = ToolCallRequested(call_id, "apps__weather", {}, RunsOn.MCP, Effect.EXTERNAL)
        await memory.decided(made, request)
        await memory.resulted(made, ToolCallCompleted(call_id, result, "m_1"))
    return made


@pytest.fixture
def call(memory: InMemory, session: SessionId) -> Calls:
    async def call(tool: str = "keep", key: str | None = "k", of: str = CALL, **more: Any) -> Json:
        given = more.pop("arguments", {"text": "x"})
        request = asked(key, [tool, given], session)
        wanted = CallForApp(tool=tool, arguments=given, **more)
        return (await memory.operations.app_calls.call(session, CallId(of), wanted, request)).result

    return call


async def test_it_is_asked_of_the_apps_own_server_as_from_outside(
    memory: InMemory, session: SessionId, call: Calls
) -> None:
    memory.hosts.answers = {
        "apps__keep": ToolAnswer({"text": "kept"}),
        "apps__other__wipe": ToolAnswer("own"),
    }
    assert await call() == {"text": "kept"}
    await call(approved=True)
    await call(key="k2")
    first, again, other = memory.hosts.calls
    assert first.of_app is not None
    assert (first.of_app.call_id, first.of_app.approved, first.session_id) == (CALL, False, session)
    assert again.of_app is not None
    assert (again.call_id, again.of_app.approved) == (first.call_id, True)
    assert other.call_id != first.call_id
    assert [(one.kind, one.name, one.session) for one in first.outside] == [("mcp", "apps", session)]
    assert isinstance(first.outside[0], Source)
    assert first.outside[0].at
    assert await call("other__wipe") == "own", "whatever an app names, its server is asked"


async def test_only_a_call_that_brought_an_app_has_one_and_only_in_an_open_session(
    memory: InMemory, session: SessionId, call: Calls
) -> None:
    for of in ("m000003-01", "m000009-00"):
        with pytest.raises(Rejected) as refused:
            await call(of=of)
        assert refused.value.kind == "not_found"
    with pytest.raises(Rejected) as refused:
        await call(arguments={"text": "x" * LARGEST_ARGUMENTS})
    assert refused.value.kind == "too_large"
    await memory.operations.steering.archive(session, asked())
    with pytest.raises(Rejected) as refused:
        await call()
    assert refused.value.kind == "session_closed"
    assert memory.hosts.calls == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (ErrorKind.REFUSED, "not_permitted"),
        (ErrorKind.APPROVAL_NEEDED, "approval_needed"),
        (ErrorKind.NOT_FOUND, "not_found"),
        (ErrorKind.NOT_AVAILABLE, "conflict"),
        (ErrorKind.TOO_OFTEN, "rate_limited"),
        (ErrorKind.UPSTREAM, "mcp_server_failed"),
        (ErrorKind.OUTCOME_UNKNOWN, "outcome_unknown"),
    ],
)
async def test_why_it_gave_nothing_is_told(memory: InMemory, call: Calls, kind: ErrorKind, told: str) -> None:
    details: dict[str, Json] = {"rule": "Rule 1"}
    memory.hosts.answers = {"apps__keep": ToolAnswer(error=ToolError(kind, "no\u202e", details=details))}
    with pytest.raises(Failure) as refused:
        await call()
    assert refused.value.kind == told
    assert "keep" in refused.value.message
    assert "\\u202e" in refused.value.message
    if told == "approval_needed":
        assert refused.value.details == {"asked": details}


async def test_another_call_under_the_key_is_refused(memory: InMemory, call: Calls) -> None:
    memory.hosts.answers = {"apps__keep": ToolAnswer(request="of another")}
    with pytest.raises(Rejected) as refused:
        await call()
    assert refused.value.kind == "idempotency_mismatch"


async def test_after_a_host_that_fell_silent_another_is_asked_the_same_once(
    memory: InMemory, call: Calls
) -> None:
    memory.hosts.answers = {"apps__keep": ToolAnswer("what became of it")}
    memory.hosts.silent = 1
    assert await call(key=None) == "what became of it"
    first, second = memory.hosts.calls
    assert first == second, "under one id, so it is sent once"
    memory.hosts.silent = 2
    with pytest.raises(Transient):
        await call()


async def test_all_that_an_app_has_in_hand_is_stopped(memory: InMemory, session: SessionId) -> None:
    await memory.operations.app_calls.stop(session, CALL)
    (told,) = memory.hosts.stopped
    assert (told.session_id, told.call_id) == (session, CALL)
    with pytest.raises(Rejected) as refused:
        await memory.operations.app_calls.stop(SessionId("s_none"), CALL)
    assert refused.value.kind == "not_found"


async def test_a_resource_is_read_of_the_apps_own_server(memory: InMemory, session: SessionId) -> None:
    memory.hosts.answers = {READ_MCP_RESOURCE: ToolAnswer({"contents": []})}
    request = asked("k", ["note://1"], session)
    wanted = ReadForApp(uri="note://1", approved=True)
    read = await memory.operations.app_calls.call(session, CALL, wanted, request)
    assert read.result == {"contents": []}
    (told,) = memory.hosts.calls
    assert (told.tool, told.arguments) == (READ_MCP_RESOURCE, {"server": "apps", "uri": "note://1"})
    assert told.of_app is not None
    assert told.of_app.approved

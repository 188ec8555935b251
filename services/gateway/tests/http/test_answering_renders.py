"""Answers to what an agent put before a person: actions of components, and forms."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId
from agent_contracts.session_events.decisions import ToolCallCancelled, ToolCallRequested
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.sessions.rendering import LARGEST_SHOWN
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.gateway.running import RunningGateway

CALL = CallId("m000003-00")
COMPONENT = {"kind": "render_and_wait", "code": "export default () => null", "props": {}}
SCHEMA = {
    "type": "object",
    "properties": {
        "who": {"type": "string", "maxLength": 2000, "minLength": 1},
        "nights": {"type": "number"},
        "room": {"type": "string", "enum": ["single", "double"]},
        "agree": {"type": "boolean", "const": True},
        "from": {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    },
    "required": ["who", "agree"],
    "additionalProperties": False,
}
FORM = {"kind": "render_blocks", "blocks": [], "answer_schema": SCHEMA}
BLOCKS = {"kind": "render_blocks", "blocks": []}
INPUT: dict[str, Any] = {
    "kind": "user_input",
    "steps": [],
    "answer_schema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "size": {"type": "integer", "minimum": 1, "default": 3},
            "also": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
            "level": {"enum": ["low", "high"], "default": "low"},
        },
        "required": ["name", "size"],
        "additionalProperties": False,
    },
}
FILLED = {"who": "Ada", "agree": True}


async def shown(gateway: RunningGateway, show: dict[str, Any], session: str | None = None) -> str:
    session = session or await gateway.new_session()
    event = ToolCallRequested(
        call_id=CALL, tool=show["kind"], arguments={}, runs_on=RunsOn.TOOLS, effect=Effect.PURE
    )
    await gateway.decided(session, event)
    await gateway.resulted(session, ToolCallPending(call_id=CALL, show=show, runner="r1"))
    return session


async def answered(gateway: RunningGateway, session: str, response: Any) -> tuple[int, Any, Any]:
    """Status, kind and path."""
    path = f"/api/v1/sessions/{session}/tool-responses"
    got = await gateway.client.post(path, json={"call_id": CALL, "response": response})
    return got.status_code, got.json().get("kind"), got.json().get("path")


@pytest.mark.parametrize(
    ("show", "response"),
    [
        (COMPONENT, {"action": "dismiss"}),
        (COMPONENT, {"action": "pick", "city": "Oslo", "more": [1, {"a": None}]}),
        (BLOCKS, {"action": "dismiss"}),
        (FORM, {"action": "dismiss"}),
        (FORM, {"action": "submit", "data": FILLED}),
        (
            FORM,
            {
                "action": "submit",
                "data": {**FILLED, "nights": 2.5, "room": "single", "from": "2028-02-29"},
            },
        ),
    ],
)
async def test_an_answer_that_fits_is_recorded_as_it_is(
    gateway: RunningGateway, show: dict[str, Any], response: Any
) -> None:
    session = await shown(gateway, show)
    assert (await answered(gateway, session, response))[0] == 202
    events = (await gateway.client.get(f"/api/v1/sessions/{session}/events")).json()["items"]
    assert [e["body"]["response"] for e in events if e["type"].endswith("tool_response.v1")] == [response]


@pytest.mark.parametrize(
    ("show", "response", "path"),
    [
        (COMPONENT, None, ""),
        (COMPONENT, "pick", ""),
        (COMPONENT, {}, "/action"),
        (COMPONENT, {"action": ""}, "/action"),
        (COMPONENT, {"action": 1}, "/action"),
        (COMPONENT, {"action": "x" * 201}, "/action"),
        (COMPONENT, {"action": "pick", "x": "x" * LARGEST_SHOWN}, ""),
        (BLOCKS, {"action": "submit", "data": {}}, "/action"),
        (BLOCKS, {"action": "dismiss", "data": {}}, "/data"),
        (FORM, {"action": "other"}, "/action"),
        (FORM, {"action": "submit"}, "/data"),
        (FORM, {"action": "submit", "data": []}, "/data"),
        (FORM, {"action": "submit", "data": FILLED, "more": 1}, "/more"),
        (FORM, {"action": "submit", "data": {"agree": True}}, "/data/who"),
        (FORM, {"action": "submit", "data": {**FILLED, "who": ""}}, "/data/who"),
        (FORM, {"action": "submit", "data": {**FILLED, "who": 1}}, "/data/who"),
        (FORM, {"action": "submit", "data": {**FILLED, "agree": False}}, "/data/agree"),
        (FORM, {"action": "submit", "data": {**FILLED, "nights": "2"}}, "/data/nights"),
        (FORM, {"action": "submit", "data": {**FILLED, "nights": True}}, "/data/nights"),
        (FORM, {"action": "submit", "data": {**FILLED, "room": "suite"}}, "/data/room"),
        (FORM, {"action": "submit", "data": {**FILLED, "from": "2026-02-30"}}, "/data/from"),
        (FORM, {"action": "submit", "data": {**FILLED, "from": "2026-02-28T00:00"}}, "/data/from"),
        (FORM, {"action": "submit", "data": {**FILLED, "a/b~": 1}}, "/data/a~1b~0"),
    ],
)
async def test_an_answer_that_doesnt_fit_is_refused_by_its_path_and_the_call_goes_on_waiting(
    gateway: RunningGateway, show: dict[str, Any], response: Any, path: str | None
) -> None:
    session = await shown(gateway, show)
    assert await answered(gateway, session, response) == (422, "invalid_request", path)
    stored = await gateway.stored(session)
    assert not [message for message in stored if message.subject.endswith(".in.tool_response")]
    assert (await answered(gateway, session, {"action": "dismiss"}))[0] == 202


async def test_of_two_tabs_that_answer_at_once_one_is_taken(gateway: RunningGateway) -> None:
    session = await shown(gateway, FORM)
    answers = [{"action": "submit", "data": {**FILLED, "nights": n}} for n in range(8)]
    got = await asyncio.gather(*(answered(gateway, session, one) for one in answers))
    assert Counter((status, kind) for status, kind, _ in got) == {
        (202, None): 1,
        (409, "already_answered"): 7,
    }


@pytest.mark.parametrize("kind", [ErrorKind.EXPIRED, ErrorKind.CANCELLED])
async def test_a_render_that_is_over_takes_no_answer(gateway: RunningGateway, kind: ErrorKind) -> None:
    session = await shown(gateway, COMPONENT)
    await gateway.decided(session, ToolCallCancelled(call_id=CALL, kind=kind))
    assert await answered(gateway, session, {"action": "dismiss"}) == (409, "call_not_open", None)
    other = await gateway.new_session()
    assert await answered(gateway, other, {"action": "dismiss"}) == (409, "call_not_open", None)


@pytest.mark.parametrize(
    ("response", "recorded"),
    [
        ({"action": "dismiss"}, {"action": "dismiss"}),
        ({"action": "submit", "data": {"name": "Ark"}}, {"name": "Ark", "size": 3}),
        (
            {"action": "submit", "data": {"also": ["b"], "size": 1, "name": "Ark", "level": "high"}},
            {"name": "Ark", "size": 1, "also": ["b"], "level": "high"},
        ),
    ],
)
async def test_the_values_of_all_steps_are_the_result_and_a_default_counts_as_an_answer(
    gateway: RunningGateway, response: Any, recorded: Any
) -> None:
    session = await shown(gateway, INPUT)
    assert (await answered(gateway, session, response))[0] == 202
    events = (await gateway.client.get(f"/api/v1/sessions/{session}/events")).json()["items"]
    assert [e["body"]["response"] for e in events if e["type"].endswith("tool_response.v1")] == [recorded]


@pytest.mark.parametrize(
    ("response", "path"),
    [
        ({"name": "Ark"}, "/action"),
        ({"action": "submit"}, "/data"),
        ({"action": "submit", "data": {}}, "/data/name"),
        ({"action": "submit", "data": {"name": "Ark", "size": 0}}, "/data/size"),
        ({"action": "submit", "data": {"name": "Ark", "size": "3"}}, "/data/size"),
        ({"action": "submit", "data": {"name": "Ark", "also": []}}, "/data/also"),
        ({"action": "submit", "data": {"name": "Ark", "also": ["c"]}}, "/data/also"),
        ({"action": "submit", "data": {"name": "Ark", "level": "mid"}}, "/data/level"),
        ({"action": "submit", "data": {"name": "Ark", "x": 1}}, "/data/x"),
        ({"action": "dismiss", "data": {}}, "/data"),
    ],
)
async def test_values_that_do_not_fit_their_step_are_refused_by_their_path(
    gateway: RunningGateway, response: Any, path: str
) -> None:
    session = await shown(gateway, INPUT)
    assert await answered(gateway, session, response) == (422, "invalid_request", path)

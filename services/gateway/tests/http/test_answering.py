"""Answers to pending calls: one is taken, the others learn it."""

import asyncio
import json
from collections import Counter
from typing import Any

import httpx
import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId
from agent_contracts.session_events.decisions import Completed, ToolCallCancelled, ToolCallRequested, Waiting
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, ToolCallPending
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.gateway.running import RunningGateway, Start

CALL = CallId("m000003-00")
QUESTION = {"kind": "ask_user", "question": "Which city?", "options": ["Oslo", "Rome"]}


async def requested(
    gateway: RunningGateway, call_id: CallId = CALL, session: str | None = None, tool: str = "ask_user"
) -> str:
    session = session or await gateway.new_session()
    event = ToolCallRequested(
        call_id=call_id, tool=tool, arguments={}, runs_on=RunsOn.TOOLS, effect=Effect.PURE
    )
    await gateway.decided(session, event)
    return session


async def asked(
    gateway: RunningGateway,
    show: dict[str, Any] = QUESTION,
    call_id: CallId = CALL,
    session: str | None = None,
) -> str:
    session = await requested(gateway, call_id, session)
    await gateway.resulted(session, ToolCallPending(call_id=call_id, show=show, runner="r1"))
    return session


async def answer(
    gateway: RunningGateway, session: str, response: Any, call_id: str = CALL, key: str | None = None
) -> httpx.Response:
    return await gateway.client.post(
        f"/api/v1/sessions/{session}/tool-responses",
        json={"call_id": call_id, "response": response},
        headers={"Idempotency-Key": key} if key else {},
    )


def outcome(answered: httpx.Response) -> tuple[int, str | None]:
    return answered.status_code, answered.json().get("kind")


async def recorded(gateway: RunningGateway, session: str) -> list[Any]:
    stored = await gateway.stored(session)
    return [json.loads(m.data)["response"] for m in stored if m.subject.endswith(".in.tool_response")]


@pytest.mark.parametrize(
    ("response", "kept"),
    [
        ({"answer": "Oslo"}, {"answer": "Oslo", "from_options": True}),
        ({"answer": "Paris"}, {"answer": "Paris", "from_options": False}),
        ({"answer": "Paris", "from_options": True}, {"answer": "Paris", "from_options": False}),
    ],
)
async def test_an_answer_is_recorded_with_whether_it_was_an_option(
    gateway: RunningGateway, response: Any, kept: Any
) -> None:
    session = await asked(gateway)
    assert outcome(await answer(gateway, session, response)) == (202, None)
    assert await recorded(gateway, session) == [kept]


async def test_a_question_without_options_takes_any_text(gateway: RunningGateway) -> None:
    session = await asked(gateway, {"kind": "ask_user", "question": "Name?", "options": None})
    assert outcome(await answer(gateway, session, {"answer": "Ada"})) == (202, None)
    assert await recorded(gateway, session) == [{"answer": "Ada", "from_options": False}]


@pytest.mark.parametrize(
    "response",
    ["Oslo", None, 1, [], {}, {"answer": 1}, {"answer": ""}, {"answer": " "}, {"answer": "Oslo", "more": 1}],
)
async def test_a_response_that_answers_nothing_is_refused(gateway: RunningGateway, response: Any) -> None:
    session = await asked(gateway)
    assert outcome(await answer(gateway, session, response)) == (422, "invalid_request")
    assert outcome(await answer(gateway, session, {"answer": "Oslo"})) == (202, None)


APPROVAL = {"kind": "approval", "tool": "run_command", "rule": "asks", "version": 0}


@pytest.mark.parametrize(
    ("show", "response", "path"),
    [
        (QUESTION, "Oslo", ""),
        (QUESTION, {"answer": 1}, "/answer"),
        (QUESTION, {"answer": " "}, "/answer"),
        (APPROVAL, "yes", ""),
        (APPROVAL, {"decision": "maybe"}, "/decision"),
        (APPROVAL, {"decision": "once", "arguments": 1}, "/arguments"),
        (APPROVAL, {"decision": "always"}, "/decision"),
    ],
)
async def test_a_wrong_answer_says_where_it_is_wrong(
    gateway: RunningGateway, show: dict[str, Any], response: Any, path: str
) -> None:
    session = await asked(gateway, show)
    refused = (await answer(gateway, session, response)).json()
    assert (refused["kind"], refused["path"]) == ("invalid_request", path)
    assert [error["where"] for error in refused["errors"]] == [path.removeprefix("/")]
    assert refused["errors"][0]["message"] == refused["detail"]


@pytest.mark.parametrize("response", ["text", None, {"any": [1, {"thing": True}]}, 0.5])
async def test_other_pausing_tools_take_any_json(gateway: RunningGateway, response: Any) -> None:
    session = await asked(gateway, {"kind": "selftest"})
    assert outcome(await answer(gateway, session, response)) == (202, None)
    assert await recorded(gateway, session) == [response]


async def test_a_second_answer_is_refused(gateway: RunningGateway) -> None:
    session = await asked(gateway)
    assert outcome(await answer(gateway, session, {"answer": "Oslo"})) == (202, None)
    assert outcome(await answer(gateway, session, {"answer": "Rome"})) == (409, "already_answered")
    assert outcome(await answer(gateway, session, {"answer": "Oslo"})) == (409, "already_answered")
    assert len(await recorded(gateway, session)) == 1


async def test_a_repeated_answer_gets_its_first_answer_and_another_body_is_refused(
    gateway: RunningGateway,
) -> None:
    session = await asked(gateway)
    first = await answer(gateway, session, {"answer": "Oslo"}, key="k")
    again = await answer(gateway, session, {"answer": "Oslo"}, key="k")
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert outcome(await answer(gateway, session, {"answer": "Rome"}, key="k")) == (
        422,
        "idempotency_mismatch",
    )
    assert len(await recorded(gateway, session)) == 1


@pytest.mark.parametrize("round_", range(5))
async def test_of_many_answers_at_once_through_two_replicas_exactly_one_is_taken(
    start: Start, round_: int
) -> None:
    replicas = [await start(), await start()]
    session = await asked(replicas[0])
    answers = await asyncio.gather(
        *(answer(replicas[n % 2], session, {"answer": f"city {n}"}) for n in range(12))
    )
    assert Counter(map(outcome, answers)) == {(202, None): 1, (409, "already_answered"): 11}
    winner = next(n for n, answered in enumerate(answers) if answered.status_code == 202)
    assert [kept["answer"] for kept in await recorded(replicas[0], session)] == [f"city {winner}"]


async def test_answers_to_different_calls_at_once_are_all_taken(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    calls = [CallId(f"m000003-{n:02d}") for n in range(8)]
    for call_id in calls:
        await asked(gateway, call_id=call_id, session=session)
    answers = await asyncio.gather(*(answer(gateway, session, {"answer": "x"}, call_id) for call_id in calls))
    assert {answered.status_code for answered in answers} == {202}
    assert len(await recorded(gateway, session)) == 8


async def test_an_unknown_call_and_one_of_another_session_are_not_open(gateway: RunningGateway) -> None:
    session = await asked(gateway)
    assert outcome(await answer(gateway, session, {"answer": "x"}, "m9")) == (409, "call_not_open")
    other = await gateway.new_session()
    assert outcome(await answer(gateway, other, {"answer": "x"})) == (409, "call_not_open")


async def test_a_call_that_asks_nothing_now_is_not_open(gateway: RunningGateway) -> None:
    running = await requested(gateway)
    assert outcome(await answer(gateway, running, {"answer": "x"})) == (409, "call_not_open")
    for result in (
        ToolCallCompleted(call_id=CALL, result=1, runner="r", duration_ms=1),
        ToolCallFailed(call_id=CALL, error=ToolError(ErrorKind.INTERNAL, "x"), runner="r"),
    ):
        over = await requested(gateway)
        await gateway.resulted(over, result)
        assert outcome(await answer(gateway, over, {"answer": "x"})) == (409, "call_not_open")
    cancelled = await asked(gateway)
    await gateway.decided(cancelled, ToolCallCancelled(call_id=CALL, kind=ErrorKind.EXPIRED))
    refused = await answer(gateway, cancelled, {"answer": "x"})
    assert outcome(refused) == (409, "call_not_open")
    assert "expired" in refused.json()["detail"]


async def test_a_call_of_a_closed_session_takes_no_answer(gateway: RunningGateway) -> None:
    session = await asked(gateway)
    await gateway.decided(session, Completed(reason="archived"))
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (409, "session_closed")


async def test_a_question_that_a_message_answered_takes_no_other_answer(gateway: RunningGateway) -> None:
    session = await asked(gateway)
    said = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(said, json={"text": "queued: nobody waits yet"})).status_code == 202
    await gateway.decided(session, Waiting(calls=(CALL,)))
    assert (await gateway.client.post(said, json={"text": "Oslo"})).status_code == 202
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (409, "already_answered")
    second = CallId("m000009-00")
    await asked(gateway, call_id=second, session=session)
    await gateway.decided(session, Waiting(calls=(second,)))
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (409, "already_answered")
    assert outcome(await answer(gateway, session, {"answer": "x"}, second)) == (202, None)


async def test_a_message_answers_only_when_nothing_else_is_waited_for(gateway: RunningGateway) -> None:
    session = await asked(gateway)
    second = CallId("m000003-01")
    await asked(gateway, call_id=second, session=session)
    await gateway.decided(session, Waiting(calls=(CALL, second)))
    said = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(said, json={"text": "queued"})).status_code == 202
    assert outcome(await answer(gateway, session, {"answer": "x"}, second)) == (202, None)
    assert (await gateway.client.post(said, json={"text": "Oslo"})).status_code == 202
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (409, "already_answered")


async def test_a_message_that_was_queued_answers_nothing(gateway: RunningGateway) -> None:
    session = await asked(gateway)
    second = CallId("m000003-01")
    await asked(gateway, call_id=second, session=session)
    await gateway.decided(session, Waiting(calls=(CALL, second)))
    said = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(said, json={"text": "queued"})).status_code == 202
    assert outcome(await answer(gateway, session, {"answer": "x"}, second)) == (202, None)
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (202, None)


async def test_a_message_answers_a_question_beside_sub_sessions_that_have_ended(
    gateway: RunningGateway,
) -> None:
    session = await asked(gateway)
    helper = CallId("m000003-01")
    await gateway.decided(session, Waiting(calls=(CALL, helper)))
    said = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(said, json={"text": "queued"})).status_code == 202
    waited = ToolCallCompleted(call_id=helper, result={"results": []}, runner="engine", duration_ms=0)
    await gateway.decided(session, waited)
    assert (await gateway.client.post(said, json={"text": "Oslo"})).status_code == 202
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (409, "already_answered")


@pytest.mark.parametrize("kind", ["ask_user", "user_input"])
async def test_a_message_answers_any_tool_that_asks_alone(gateway: RunningGateway, kind: str) -> None:
    session = await requested(gateway, tool="protoagent.ask_human")
    await gateway.resulted(
        session, ToolCallPending(call_id=CALL, show={**QUESTION, "kind": kind}, runner="r1")
    )
    await gateway.decided(session, Waiting(calls=(CALL,)))
    said = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(said, json={"text": "Oslo"})).status_code == 202
    assert outcome(await answer(gateway, session, {"answer": "x"})) == (409, "already_answered")


async def test_a_message_is_no_answer_to_a_tool_that_shows_something_else(gateway: RunningGateway) -> None:
    session = await requested(gateway, tool="ask_user")
    show = {"kind": "render_and_wait", "component": "Map"}
    await gateway.resulted(session, ToolCallPending(call_id=CALL, show=show, runner="r1"))
    await gateway.decided(session, Waiting(calls=(CALL,)))
    said = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(said, json={"text": "queued"})).status_code == 202
    assert outcome(await answer(gateway, session, {"action": "done"})) == (202, None)

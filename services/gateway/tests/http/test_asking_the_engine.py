"""What only a fold can tell is asked of the session engine."""

from typing import Any

import msgspec
import pytest
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.queries import MODEL_CALL, SESSION_STATE, QueryAnswer
from foldline_testing.gateway.running import RunningGateway
from foldline_testing.gateway.tables import used


async def engine(gateway: RunningGateway, name: str, answer: QueryAnswer) -> list[Any]:
    """Answers every question of this name, and keeps the questions."""
    questions: list[Any] = []

    async def reply(message: Msg) -> None:
        questions.append(msgspec.json.decode(message.data))
        await gateway.connection.publish(message.reply, msgspec.json.encode(answer))

    await gateway.connection.subscribe(query_subject(name), reply)
    await gateway.connection.flush()
    return questions


STATE: dict[str, Any] = {
    "session_id": "s",
    "agent_id": "default",
    "status": "idle",
    "title": None,
    "model": None,
    "thinking": None,
    "parent_id": None,
    "depth": 0,
    "token_limit": 10,
    "usage": used(1, 2),
    "error": None,
    "open_calls": [],
    "queue": [],
    "messages": [
        {
            "sequence": 2,
            "role": "user",
            "text": "hi",
            "tool_calls": [],
            "files": [],
            "incomplete": None,
            "thinking": None,
            "woken_by": None,
            "data": None,
            "client": None,
            "prompt": None,
            "quiet": False,
        }
    ],
    "children": [],
    "forked_from": None,
    "last_sequence": 4,
    "failed_turn": None,
    "least_token_limit": 1,
    "rest_sequence": 4,
    "events": 2,
    "model_calls": 0,
    "earlier": 0,
    "outside": [],
}


async def test_the_state_at_an_event_is_passed_on_as_it_is(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    questions = await engine(gateway, SESSION_STATE, QueryAnswer(value=STATE))
    answer = await gateway.client.get(f"/api/v1/sessions/{session}/state", params={"at": 1})
    assert (answer.status_code, answer.json()) == (200, STATE)
    answer = await gateway.client.get(f"/api/v1/sessions/{session}/state", params={"messages": 7})
    assert (answer.status_code, answer.json()) == (200, STATE)
    assert questions == [
        {"session_id": session, "at": 1, "part": None, "messages": None, "beginnings": None},
        {"session_id": session, "at": None, "part": None, "messages": 7, "beginnings": None},
    ]
    answer = await gateway.client.get(f"/api/v1/sessions/{session}/state", params={"at": 9})
    assert (answer.status_code, answer.json()["detail"]) == (422, "There is no event 9 yet: the newest is 1")


async def test_a_model_call_is_passed_on_as_it_is(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    shown = {"request": {"messages": []}, "answer": {"text": "hi"}}
    questions = await engine(gateway, MODEL_CALL, QueryAnswer(value=shown))
    answer = await gateway.client.get(f"/api/v1/sessions/{session}/model-calls/2")
    assert (answer.status_code, answer.json()) == (200, shown)
    assert questions == [{"session_id": session, "call_id": None, "number": 2}]


@pytest.mark.parametrize(
    ("failure", "status", "shown"),
    [
        (Rejected("because", kind="not_found"), 404, "not_found"),
        (Rejected("because", kind="invalid_request"), 422, "invalid_request"),
        (Transient("because"), 503, "unavailable"),
        (Transient("because", kind="storage", retry_after=7), 503, "storage"),
        (Transient("because", kind="disconnected"), 503, "unavailable"),
        (Permanent("because", kind="log_corrupt"), 500, "internal"),
    ],
)
async def test_the_engines_refusals_are_problems(
    gateway: RunningGateway, failure: Failure, status: int, shown: str
) -> None:
    session = await gateway.new_session()
    await engine(gateway, SESSION_STATE, QueryAnswer.refused(failure))
    answer = await gateway.client.get(f"/api/v1/sessions/{session}/state")
    if failure.kind == "storage":
        assert answer.headers["retry-after"] == "7"
    assert (answer.status_code, answer.json()["kind"], answer.json()["detail"]) == (status, shown, "because")


async def test_without_an_engine_the_answer_says_so_at_once(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    for path in ("state", "model-calls/1"):
        answer = await gateway.client.get(f"/api/v1/sessions/{session}/{path}")
        assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
        assert "session engine isn't answering" in answer.json()["detail"]


@pytest.mark.parametrize(("token_limit", "status"), [(1, 422), (5, 422), (6, 202)])
async def test_a_token_limit_that_is_used_up_already_is_refused_with_the_least_that_helps(
    gateway: RunningGateway, token_limit: int, status: int
) -> None:
    session = await gateway.new_session()
    spent = {**STATE, "usage": used(3, 2), "least_token_limit": 4_321}
    await engine(gateway, SESSION_STATE, QueryAnswer(value=spent))
    body = {"token_limit": token_limit}
    answer = await gateway.client.post(f"/api/v1/sessions/{session}:continue", json=body)
    assert answer.status_code == status
    if status == 422:
        assert "at least 4,321" in answer.json()["detail"]

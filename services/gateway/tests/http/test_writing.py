"""What a person writes becomes exactly one event."""

import asyncio
import json
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Transient
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.session_events.decisions import Completed, Failed
from agent_contracts.session_events.inputs import ThinkingChanged
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.gateway.running import RunningGateway, Start
from gateway.operations.sessions.inputs import Inputs


def event(message: StoredMessage) -> tuple[str, dict[str, Any]]:
    body = json.loads(message.data)
    return body.pop("type"), body


async def test_a_new_session_is_answered_whole_and_stands_in_the_log(gateway: RunningGateway) -> None:
    await gateway.client.post("/api/v1/agents", json={"id": "a1", "name": "A"})
    asked = {"agent_id": "a1", "message": "hello", "model": "openai/x", "token_limit": 500, "title": "T"}
    answer = await gateway.client.post("/api/v1/sessions", json=asked)
    assert answer.status_code == 201
    session = answer.json()
    assert answer.headers["location"] == f"/api/v1/sessions/{session['id']}"
    created, said = await gateway.stored(session["id"])
    assert event(created) == (
        "foldline.session.created.v1",
        {
            "agent_id": "a1",
            "token_limit": 500,
            "title": "T",
            "model": "openai/x",
            "child_timeout_s": 120.0,
            "retry_delays_s": [30.0, 120.0, 600.0, 1800.0],
        },
    )
    assert event(said) == ("foldline.session.user_message.v1", {"text": "hello"})
    assert (session["last_sequence"], session["status"]) == (said.sequence, "running")
    assert created.envelope is not None
    assert session["created_at"] == created.envelope.time
    assert (session["agent_id"], session["title"], session["model"]) == ("a1", "T", "openai/x")


async def test_a_session_carries_the_limits_that_its_sub_sessions_will_have(start: Start) -> None:
    gateway = await start(
        told={"child_timeout": 7.5, "child_depth": 1, "child_count": 4, "retry_delays": "2,8"}
    )
    created, *_ = await gateway.stored(await gateway.new_session())
    _, body = event(created)
    assert (body["child_timeout_s"], body["child_depth"], body["child_count"]) == (7.5, 1, 4)
    assert body["retry_delays_s"] == [2.0, 8.0]


async def test_a_session_of_an_agent_that_isnt_there_is_refused(gateway: RunningGateway) -> None:
    answer = await gateway.client.post("/api/v1/sessions", json={"agent_id": "nobody"})
    assert (answer.status_code, answer.json()["kind"]) == (404, "not_found")
    assert await gateway.log.last_sequence() == 0


async def test_a_session_needs_nothing(gateway: RunningGateway) -> None:
    for content in (None, b"", b"{}"):
        headers = {"Content-Type": "application/json"}
        answer = await gateway.client.post("/api/v1/sessions", content=content, headers=headers)
        assert answer.status_code == 201
        assert (answer.json()["agent_id"], answer.json()["token_limit"]) == ("default", 1_000_000)


async def test_each_input_is_one_event_of_the_user_with_a_trace(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    for path, body, kind in [
        ("/messages", {"text": "hi"}, "user_message"),
        (":interrupt", None, "interrupted"),
        (":retry", None, "retry_asked"),
        (":continue", {"token_limit": 7}, "continued"),
        (":archive", None, "archived"),
    ]:
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
        answer = await gateway.client.post(f"/api/v1/sessions/{session}{path}", json=body, headers=headers)
        assert answer.status_code == 202
        stored = (await gateway.stored(session))[-1]
        assert answer.json() == {"event_id": stored.event_id, "sequence": stored.sequence}
        recorded = decode(stored)
        assert stored.subject.endswith(f".in.{kind}")
        assert (recorded.envelope.actor, recorded.envelope.source) == ("user", event_sources.GATEWAY)
        assert trace in str(recorded.envelope.traceparent)
        assert stored.headers["Nats-Msg-Id"] == recorded.envelope.id


async def test_what_changes_of_a_session_is_an_event_each_and_a_repeat_writes_none(
    gateway: RunningGateway,
) -> None:
    session = await gateway.new_session()
    change = {"title": "New", "pinned": True, "thinking": {"effort": "high"}}
    key = {"Idempotency-Key": "k"}
    answers = [
        await gateway.client.patch(f"/api/v1/sessions/{session}", json=change, headers=key) for _ in range(2)
    ]
    kinds = [stored.subject.rpartition(".")[2] for stored in await gateway.stored(session)]
    assert kinds[-3:] == ["thinking_changed", "renamed", "pinned"]
    assert (answers[0].status_code, answers[0].json()) == (202, answers[1].json())
    assert answers[0].json()["sequence"] == (await gateway.stored(session))[-1].sequence
    back = await gateway.client.patch(f"/api/v1/sessions/{session}", json={"thinking": None})
    assert decode((await gateway.stored(session))[-1]).event == ThinkingChanged(None), back.text
    for nothing in ({}, {"title": None}, {"pinned": None}, {"name": "New"}):
        refused = await gateway.client.patch(f"/api/v1/sessions/{session}", json=nothing)
        assert (refused.status_code, refused.json()["kind"]) == (422, "invalid_request")


@pytest.mark.parametrize(
    "ending", [Completed(reason="reported"), Failed(kind="unreachable", message="no answer")]
)
async def test_a_closed_session_takes_nothing_but_a_title(
    gateway: RunningGateway, ending: Completed | Failed
) -> None:
    session = await gateway.new_session()
    await gateway.decided(session, ending)
    for path, body in [
        ("/messages", {"text": "x"}),
        (":interrupt", None),
        (":retry", None),
        (":archive", None),
        (":continue", {"token_limit": 1}),
    ]:
        answer = await gateway.client.post(f"/api/v1/sessions/{session}{path}", json=body)
        assert (answer.status_code, answer.json()["kind"]) == (409, "session_closed")
    assert len(await gateway.stored(session)) == 2
    both = {"title": "Not this", "thinking": {"effort": "high"}}
    answer = await gateway.client.patch(f"/api/v1/sessions/{session}", json=both)
    assert (answer.status_code, answer.json()["kind"]) == (409, "session_closed")
    assert len(await gateway.stored(session)) == 2
    answer = await gateway.client.patch(f"/api/v1/sessions/{session}", json={"title": "Done"})
    assert answer.status_code == 202


async def test_an_archived_session_is_closed_at_once(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    assert (await gateway.client.post(f"/api/v1/sessions/{session}:archive")).status_code == 202
    for path, body in [("/messages", {"text": "x"}), (":archive", None)]:
        answer = await gateway.client.post(f"/api/v1/sessions/{session}{path}", json=body)
        assert (answer.status_code, answer.json()["kind"]) == (409, "session_closed")


async def test_the_same_key_and_body_get_the_first_answer_from_any_replica(start: Start) -> None:
    one, other = await start(), await start()
    session = await one.new_session()
    for path, body in [
        ("/messages", {"text": "hi"}),
        (":continue", {"token_limit": 9}),
        (":interrupt", None),
        (":retry", None),
        (":archive", None),
    ]:
        answers = [
            await gateway.client.post(
                f"/api/v1/sessions/{session}{path}", json=body, headers={"Idempotency-Key": "k"}
            )
            for gateway in (one, other, one)
        ]
        assert [answer.status_code for answer in answers] == [202] * 3, path
        assert answers[0].json() == answers[1].json() == answers[2].json()
    assert len(await one.stored(session)) == 6


async def test_the_same_key_with_another_body_is_refused(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    headers = {"Idempotency-Key": "k"}
    path = f"/api/v1/sessions/{session}/messages"
    assert (await gateway.client.post(path, json={"text": "one"}, headers=headers)).status_code == 202
    answer = await gateway.client.post(path, json={"text": "two"}, headers=headers)
    assert (answer.status_code, answer.json()["kind"]) == (422, "idempotency_mismatch")
    assert len(await gateway.stored(session)) == 2


async def test_the_same_key_in_two_sessions_is_two_requests(gateway: RunningGateway) -> None:
    for _ in range(2):
        session = await gateway.new_session()
        answer = await gateway.client.post(
            f"/api/v1/sessions/{session}/messages", json={"text": "x"}, headers={"Idempotency-Key": "k"}
        )
        assert answer.status_code == 202
        assert len(await gateway.stored(session)) == 2


async def test_many_creations_with_one_key_make_one_session(start: Start) -> None:
    one, other = await start(), await start()
    body = {"message": "hello", "title": "T"}
    answers = await asyncio.gather(
        *(
            gateway.client.post("/api/v1/sessions", json=body, headers={"Idempotency-Key": "once"})
            for gateway in (one, other) * 5
        )
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert len(await one.stored(answers[0].json()["id"])) == 2
    assert await one.log.last_sequence() == 2


@pytest.mark.parametrize("changed", [{}, {"message": "other"}, {"message": "hello", "agent_id": "b"}])
async def test_a_creation_with_a_used_key_and_another_body_is_refused(
    gateway: RunningGateway, changed: dict[str, str]
) -> None:
    await gateway.client.post("/api/v1/agents", json={"id": "b", "name": "B"})
    headers = {"Idempotency-Key": "once"}
    first = await gateway.client.post("/api/v1/sessions", json={"message": "hello"}, headers=headers)
    assert first.status_code == 201
    last = await gateway.log.last_sequence()
    answer = await gateway.client.post("/api/v1/sessions", json=changed, headers=headers)
    assert (answer.status_code, answer.json()["kind"]) == (422, "idempotency_mismatch")
    assert await gateway.log.last_sequence() == last


async def test_a_creation_cut_off_after_its_first_event_is_completed_by_its_repeat(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a kill between the two events leaves behind."""
    headers, body = {"Idempotency-Key": "once"}, {"message": "hello"}
    whole = Inputs.append

    async def only_the_first(inputs: Inputs, owner: Any, event: Any, request: Any, expect: Any = None) -> Any:
        if expect is None:
            raise Transient("killed")
        return await whole(inputs, owner, event, request, expect)

    monkeypatch.setattr(Inputs, "append", only_the_first)
    assert (await gateway.client.post("/api/v1/sessions", json=body, headers=headers)).status_code == 503
    monkeypatch.undo()
    assert await gateway.log.last_sequence() == 1
    session = (await gateway.client.post("/api/v1/sessions", json=body, headers=headers)).json()
    assert [event(message)[0].split(".")[2] for message in await gateway.stored(session["id"])] == [
        "created",
        "user_message",
    ]


async def test_without_a_log_a_write_says_so_and_comes_through_later(
    start: Start, nats_server: NatsForTest
) -> None:
    gateway = await start()
    session = await gateway.new_session()
    nats_server.kill()
    answer = await gateway.client.post(
        f"/api/v1/sessions/{session}/messages", json={"text": "x"}, headers={"Idempotency-Key": "k"}
    )
    assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) >= 1
    ready = await gateway.client.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (503, "failing")
    assert (await gateway.client.get("/healthz")).status_code == 200
    nats_server.restart()
    async with asyncio.timeout(20):
        while answer.status_code != 202:
            answer = await gateway.client.post(
                f"/api/v1/sessions/{session}/messages", json={"text": "x"}, headers={"Idempotency-Key": "k"}
            )
    assert len(await gateway.stored(session)) == 2

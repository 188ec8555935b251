"""Say and wait: a program talks to an agent, allows what it asks for, answers it, and reads the turn."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.approving import until
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

ASKS = {"name": "ask_user", "arguments": {"question": "Which city?", "options": ["Oslo", "Rome"]}}
WRITES = {"name": "file_write_text", "arguments": {"path": "a.txt", "text": "1"}}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer({"rules": []}) as serving:
        yield serving


@pytest.fixture(scope="module")
def door(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with Stack(tmp_path_factory.mktemp("say"), env=model.environment()) as stack, stack.gateway() as door:
        rule = {"match": {"tool": WRITES["name"]}, "verdict": "ask"}
        door.put("/agents/default/policy", {"preset": "free", "rules": [rule]})
        yield door


def plays(model: ModelServer, *turns: dict[str, Any]) -> None:
    """What the model does in answer to the next message, step by step."""
    model.play({"rules": [{"turns": list(turns)}]})


def new(door: Gateway) -> str:
    return str(door.post("/sessions", {}, uuid.uuid4().hex)["id"])


def say(door: Gateway, session: str, text: str, wait: float = 30) -> Any:
    return door.post(f"/sessions/{session}/messages?wait={wait}", {"text": text}, uuid.uuid4().hex)


def turn_of(door: Gateway, turn: Any, wait: float = 30) -> Any:
    return door.get(f"/sessions/{turn['session_id']}/turns/{turn['id']}", wait=wait)


def test_the_answer_to_a_message_is_the_turn(door: Gateway, model: ModelServer) -> None:
    session = new(door)
    plays(model, {"text": "Hello to you."})
    turn = say(door, session, "Hello")
    assert (turn["status"], turn["answer"], turn["error"]) == ("completed", "Hello to you.", None)
    assert turn["usage"]["tokens"] > 0
    assert turn["started_at"] <= turn["ended_at"]
    plays(model, {"text": "Again."})
    later = say(door, session, "And now?")
    assert (later["answer"], turn_of(door, turn)["answer"]) == ("Again.", "Hello to you.")
    assert turn_of(door, {**turn, "id": "latest"}) == later
    whole = door.get(f"/sessions/{session}")["usage"]["tokens"]
    assert turn["usage"]["tokens"] + later["usage"]["tokens"] == whole


def test_what_waits_for_a_person_is_answered_by_its_id(door: Gateway, model: ModelServer) -> None:
    plays(model, {"tool_calls": [WRITES]}, {"tool_calls": [ASKS]}, {"text": "Done."})
    turn = say(door, new(door), "Go on")
    [approval] = turn["approvals"]
    assert (turn["status"], turn["questions"], approval["tool"]) == ("waiting_for_input", [], WRITES["name"])
    assert door.get(f"/approvals/{approval['id']}") == approval
    door.post(f"/approvals/{approval['id']}", {"decision": "once"}, uuid.uuid4().hex)
    turn = turn_of(door, turn)
    [question] = turn["questions"]
    assert (turn["approvals"], question["text"], question["kind"]) == ([], "Which city?", "ask_user")
    assert question["options"] == ["Oslo", "Rome"]
    assert question in door.get("/questions", session_id=turn["session_id"])["items"]
    door.post(f"/questions/{question['id']}", {"answer": "Oslo"}, uuid.uuid4().hex)
    turn = turn_of(door, turn)
    assert (turn["status"], turn["answer"], turn["questions"]) == ("completed", "Done.", [])


def test_an_answer_has_the_form_that_its_question_asks_for(door: Gateway, model: ModelServer) -> None:
    plays(model, {"tool_calls": [ASKS]}, {"text": "Done."})
    turn = say(door, new(door), "Ask me")
    path = f"/questions/{turn['questions'][0]['id']}"
    for body, where in (({}, ""), ({"answer": " "}, "/answer"), ({"data": {"a": 1}}, "")):
        with pytest.raises(Exception, match="answer") as refused:
            door.post(path, body, uuid.uuid4().hex)
        assert getattr(refused.value, "path", None) in (where, None)
    key = uuid.uuid4().hex
    assert door.post(path, {"answer": "Rome"}, key) == door.post(path, {"answer": "Rome"}, key)
    with pytest.raises(Exception, match="answered"):
        door.post(path, {"answer": "Oslo"}, uuid.uuid4().hex)
    with pytest.raises(Exception, match="was answered"):
        door.get(path)


def test_a_refused_call_goes_on_without_it(door: Gateway, model: ModelServer) -> None:
    plays(model, {"tool_calls": [WRITES]}, {"text": "Then not."})
    turn = say(door, new(door), "Write it")
    body = {"decision": "refuse", "reason": "not now"}
    door.post(f"/approvals/{turn['approvals'][0]['id']}", body, uuid.uuid4().hex)
    assert turn_of(door, turn)["answer"] == "Then not."


def test_a_turn_that_takes_longer_is_told_as_it_is(door: Gateway, model: ModelServer) -> None:
    plays(model, {"text": "At last.", "fault": {"kind": "hold", "times": 1}})
    turn = say(door, new(door), "Slowly", wait=0.5)
    assert (turn["status"], turn["answer"], turn["ended_at"]) == ("running", "", None)
    model.release()
    turn = turn_of(door, turn)
    assert (turn["status"], turn["answer"]) == ("completed", "At last.")


def test_a_person_who_presses_stop_ends_it_for_who_waits(door: Gateway, model: ModelServer) -> None:
    plays(model, {"text": "Never.", "fault": {"kind": "hold"}})
    session = new(door)
    with ThreadPoolExecutor(1) as thread:
        said = thread.submit(say, door, session, "Slowly")
        until(lambda: door.get(f"/sessions/{session}")["open_model_call"])
        door.post(f"/sessions/{session}:interrupt", None, uuid.uuid4().hex)
        assert said.result()["status"] == "stopped"


def test_a_turn_that_failed_says_why_and_one_that_was_rewound_says_so(
    door: Gateway, model: ModelServer
) -> None:
    session = new(door)
    plays(model, {"text": "First."})
    first = say(door, session, "one")
    model.play({"rules": [{"reply": {"fault": {"kind": "bad_request", "status": 401}}}]})
    failed = say(door, session, "two")
    assert (failed["status"], bool(failed["error"]["message"])) == ("failed", True)
    plays(model, {"text": "Now."})
    door.post(f"/sessions/{session}:retry", None, uuid.uuid4().hex)
    assert turn_of(door, failed)["answer"] == "Now."
    door.post(f"/sessions/{session}:rewind", {"to": first["id"], "parts": ["conversation"]}, uuid.uuid4().hex)
    door.get(f"/sessions/{session}/turns/latest", wait=5)
    assert turn_of(door, failed)["status"] == "rewound"


def test_what_is_no_message_has_no_turn(door: Gateway) -> None:
    session = new(door)
    for turn in ("latest", "1", "999999"):
        with pytest.raises(Exception, match=r"message|said anything"):
            door.get(f"/sessions/{session}/turns/{turn}")

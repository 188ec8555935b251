"""Any OpenAI-compatible server, by two settings; and whatever it does, a clear end."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from agent_contracts.api.calls import ModelCall
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack


def fault(word: str, **how: Any) -> dict[str, Any]:
    """A rule by which a message whose last line has `word` makes the server misbehave. A message that failed
    stands before the next one, as one with it."""
    return {
        "when": {"user_matches": rf"{word}[^\n]*\Z"},
        "reply": {"text": f"after {word} " * 20, "fault": how},
    }


SCRIPT = {
    "rules": [
        fault("wrong once", kind="bad_request", status=401, message="Wrong API key.", times=1),
        fault("wrong key", kind="bad_request", status=401, message="Wrong API key: sk-scripted."),
        fault("cut", kind="cut", after_chunks=3),
        fault("malformed", kind="bad_chunk", after_chunks=1),
        fault("not a model server", kind="wrong_type"),
        fault("without tools", kind="bad_request", status=400, message="It does not support tools.", times=1),
        fault("overloaded once", kind="rate_limited", times=1, retry_after=0.2),
        {"when": {"user_contains": "say nothing"}, "reply": {"text": " "}},
        {"reply": {"text": "Hello from the scripted model."}},
    ]
}


def settled(door: Gateway, text: str) -> ChatTurn:
    """Say something in a new session, and follow it until it settles."""
    turn = ChatTurn(door, None)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn


def test_two_settings_connect_any_openai_compatible_server(door: Gateway) -> None:
    turn = settled(door, "hello")
    assert (turn.status, turn.answer) == ("idle", "Hello from the scripted model.")


def test_an_empty_answer_is_said_and_fails_the_command(stack: Stack, tmp_path: Path) -> None:
    sent = Command(stack.data_dir, tmp_path)("send", "say nothing")
    assert sent.code == 1
    assert "The model gave an empty answer" in sent.out + sent.err


def test_a_passing_overload_is_retried_and_answered(door: Gateway) -> None:
    turn = settled(door, "overloaded once")
    assert (turn.status, turn.answer[:21]) == ("idle", "after overloaded once")
    call = door.get(f"/sessions/{turn.session_id}/model-calls/1")
    assert call["answer"]["attempts"] == 2
    assert msgspec.convert(call, ModelCall).number == 1, "it has the members that the API's description names"


EXPECTED = {
    "wrong key": ("authentication", "FOLDLINE_MODEL_API_KEY"),
    "cut": ("cut_stream", ""),
    "malformed": ("malformed_answer", ""),
    "not a model server": ("malformed_answer", ""),
}


def test_whatever_a_server_does_is_a_clear_message_and_a_recorded_event_and_the_chat_stays_open(
    door: Gateway,
) -> None:
    with ThreadPoolExecutor(len(EXPECTED)) as pool:
        turns = dict(zip(EXPECTED, pool.map(lambda word: settled(door, word), EXPECTED), strict=True))
    for word, (kind, advice) in EXPECTED.items():
        turn = turns[word]
        assert (turn.status, turn.failure is not None) == ("idle", True), word
        events = door.get(f"/sessions/{turn.session_id}/events", limit=100)["items"]
        failed = next(e for e in events if e["type"] == "foldline.session.model_call_failed.v1")
        assert failed["body"]["kind"] == kind
        assert advice in (turn.failure or "")
        shown = door.get(f"/sessions/{turn.session_id}/messages", min_sequence=events[-1]["sequence"])
        assert shown["items"][-1]["role"] == "error"
        assert shown["items"][-1]["text"] == turn.failure
        assert shown["session"]["failed_turn"]["kind"] == kind
        assert (shown["session"]["failed_turn"]["retry_at"] is None) == (kind == "authentication")
        assert "sk-scripted" not in json.dumps(events), "the key must never be recorded"


def test_an_unreachable_server_is_a_clear_message_and_a_retry_is_answered(
    door: Gateway, model: ModelServer
) -> None:
    model.stop()
    try:
        turn = settled(door, "hello")
    finally:
        model.start()
    assert turn.status == "idle"
    assert model.base_url in (turn.failure or "")
    with suppress(Rejected):  # where it has been asked again by itself meanwhile
        turn.retry()
    turn.status = "running"
    assert "".join(piece.text for piece in turn.pieces()) == "Hello from the scripted model."
    assert turn.status == "idle"
    assert door.get(f"/sessions/{turn.session_id}/state")["failed_turn"] is None


def test_a_rewind_goes_back_across_a_failed_turn_and_a_message_simply_goes_on(door: Gateway) -> None:
    turn = settled(door, "hello")
    before = door.get(f"/sessions/{turn.session_id}/state")["last_sequence"]
    turn.say("wrong key")
    list(turn.pieces())
    turn.say("hello again")
    list(turn.pieces())
    assert (turn.status, turn.answer) == ("idle", "Hello from the scripted model.")
    told = door.get(f"/sessions/{turn.session_id}/state")["messages"]
    assert [one["text"] for one in told if one["role"] == "user"] == ["hello", "wrong key", "hello again"]
    turn.say("wrong key once more")
    list(turn.pieces())
    assert turn.failure is not None
    back = {"to": before, "parts": ["conversation"]}
    door.post(f"/sessions/{turn.session_id}:rewind", back, "back")
    state = door.get(f"/sessions/{turn.session_id}/state")
    assert (state["status"], state["failed_turn"], len(state["messages"])) == ("idle", None, 2)
    report = door.post(f"/sessions/{turn.session_id}:replay", {"mode": "strict"})
    assert report["difference"] is None


def test_send_says_that_a_turn_failed_and_retry_asks_again(stack: Stack, tmp_path: Path) -> None:
    foldline = Command(stack.data_dir, tmp_path)
    sent = foldline("send", "wrong once")
    assert sent.code == 1
    assert "Your message is safe. Try again: foldline retry s_" in sent.out
    session = sent.out.partition("foldline retry ")[2].partition(",")[0]
    shown = " ".join(foldline("show", session).out.split())
    assert "Wrong API key." in shown
    again = foldline("retry", session)
    assert (again.code, "after wrong once" in again.out) == (0, True), again.err
    twice = foldline("retry", session)
    assert (twice.code, "did not fail" in twice.err) == (1, True)


def test_what_a_server_refuses_is_remembered_for_all_chats_and_a_person_resets_it(
    stack: Stack, door: Gateway, model: ModelServer, tmp_path: Path
) -> None:
    foldline = Command(stack.data_dir, tmp_path)
    try:
        turn = settled(door, "without tools")
        assert (turn.status, turn.answer[:19]) == ("idle", "after without tools")
        answer = door.get(f"/sessions/{turn.session_id}/model-calls/1")
        assert (answer["answer"]["attempts"], answer["request"]["tools"]) == (2, [])
        report = door.post(f"/sessions/{turn.session_id}:replay", {"mode": "strict"})
        assert report["difference"] is None
        shown = door.get(f"/sessions/{turn.session_id}/messages")["items"]
        assert [one["adapted"] for one in shown] == [[], ["no_tools"]]
        settled(door, "hello")
        assert not model.recording.requests[-1].body.get("tools"), "another chat knows it, too"
        listed = foldline("adaptations")
        assert "no_tools" in listed.out
        assert "It does not support tools." in listed.out
        name = foldline("adaptations", "--json").json["models"][0]["name"]
        assert foldline("adaptations", "reset").code == 1
        assert "1 change is reset" in foldline("adaptations", "reset", name).out
        assert foldline("adaptations", "reset", name).code == 1
    finally:
        door.delete("/model-adaptations")
    settled(door, "hello")
    assert model.recording.requests[-1].body.get("tools")

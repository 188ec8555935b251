"""`foldline why` and `foldline top` on a running Foldline: what each session waits for."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

SCRIPT = {
    "rules": [
        {"when": {"user_contains": "be slow"}, "reply": {"text": "At last.", "fault": {"kind": "hold"}}},
        {"when": {"user_contains": "fail"}, "reply": {"fault": {"kind": "bad_request", "status": 401}}},
        {
            "when": {"user_contains": "ask me"},
            "turns": [
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Which city?"}}]},
                {"text": "Thanks."},
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
                {"text": "Done."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
_PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def foldline(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command(stack.data_dir, tmp_path_factory.mktemp("folder"), {"COLUMNS": "200"})


def begun(door: Gateway, text: str) -> str:
    return str(door.post("/sessions", {"message": text})["id"])


def eventually(found: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + _PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < deadline, what
        time.sleep(0.2)
    return value


def waits_for(foldline: Command, session: str, words: str) -> dict[str, Any]:
    """What the session says that it waits for, once that has these words in it."""

    def found() -> dict[str, Any] | None:
        told = foldline("why", session, "--json")
        assert told.code == 0, told.err
        waits: list[dict[str, Any]] = told.json["waits"]
        return next((one for one in waits if words in one["what"]), None)

    wait: dict[str, Any] = eventually(found, f"{session} doesn't say that it waits for {words}")
    return wait


def test_a_slow_model_is_named_by_why_and_by_top(
    stack: Stack, door: Gateway, foldline: Command, model: ModelServer
) -> None:
    session = begun(door, "be slow")
    try:
        wait = waits_for(foldline, session, "the answer of")
        assert "the model's server, asked by a process of model-callers" in wait["on"]
        assert wait["since_at"]
        (row,) = [one for one in foldline("top", "--once", "--json").json["busiest"] if one["id"] == session]
        assert (row["status"], row["open_call"]["what"], row["model_calls"]) == ("running", "model", 1)
        assert session in foldline("top", "--once").out
    finally:
        model.release()
    eventually(lambda: door.get(f"/sessions/{session}")["status"] == "idle", "it isn't answered")
    assert foldline("why", session, "--json").json["waits"] == []
    assert "waits for nothing" in foldline("why", session).out


def test_what_waits_for_a_person_says_how_to_answer(door: Gateway, foldline: Command) -> None:
    asked, wanted = begun(door, "ask me"), begun(door, "send it")
    question = waits_for(foldline, asked, "an answer to ask_user")
    assert (question["on"], question["to_do"]) == ("you", f"foldline answer {asked} ANSWER")
    approval = waits_for(foldline, wanted, "a yes or no to fetch_url")
    assert f"foldline answer {wanted} yes" in approval["to_do"]
    waiting = foldline("top", "--once", "--json").json["waiting_for_person"]
    assert waiting["approval"] >= 1
    assert waiting["question"] >= 1
    done = foldline("answer", wanted, "no")
    assert done.code == 0, done.err
    eventually(lambda: not foldline("why", wanted, "--json").json["waits"], "it waits on")


def test_a_turn_that_failed_says_why_and_how_to_go_on(door: Gateway, foldline: Command) -> None:
    session = begun(door, "fail")
    wait = waits_for(foldline, session, "its failed turn (authentication)")
    assert wait["to_do"].endswith(f"foldline retry {session}")

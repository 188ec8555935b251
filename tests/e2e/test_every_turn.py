"""The cases of the state table, from outside: what a model may answer, and what people do meanwhile."""

import time
from collections.abc import Callable
from typing import Any

from demo_model.conversation import said_in
from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer

_PATIENCE_S = 90
_STORY = "".join(f"chapter {n} of a story " for n in range(6_000))


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _sets(key: str, **more: Any) -> dict[str, Any]:
    return {**_call("set_state", key=key, value=1), **more}


def _asks(question: str) -> dict[str, Any]:
    return _call("ask_user", question=question)


def _calls(*calls: dict[str, Any], text: str = "") -> dict[str, Any]:
    return {"text": text, "tool_calls": list(calls)}


def _waits_for(which: str) -> dict[str, Any]:
    return _calls(_call("wait_for_sessions", ids=which))


_SPAWNED = "{{ results | map(attribute='id') | list }}"
_FIRST_RESULT = "{{ result.wait_for_sessions.results[0].result }}"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "side by side"},
            "turns": [
                _calls(_sets("left"), _asks("Which way?"), _sets("right")),
                {"text": "{{ result.ask_user.answer }} it is"},
            ],
        },
        {
            "when": {"user_contains": "all wrong"},
            "turns": [
                _calls(
                    _call("no_such_tool"),
                    {"name": "set_state", "raw_arguments": '{"key": '},
                    _call("set_state", key="lacks a value"),
                    text="let me try",
                ),
                {"text": "that was wrong"},
            ],
        },
        {
            "when": {"user_contains": "same ids"},
            "turns": [
                _calls(_sets("id 1", id="call_1"), _sets("id 2", id="call_1")),
                _calls(_sets("id 3", id="call_1")),
                _calls(_sets("id 4", id=""), _sets("id 5", id=None)),
                {"text": "five"},
            ],
        },
        {"when": {"user_contains": "say something"}, "reply": {"text": "Something."}},
        {"when": {"user_contains": "say nothing"}, "reply": {"text": ""}},
        {
            "when": {"user_contains": "[reporter]"},
            "turns": [_calls(_call("report_result", result="early"), _sets("after the report"))],
        },
        {
            "when": {"user_contains": "have it reported"},
            "turns": [
                _calls(_call("write_notepad", content="1. dig")),
                _calls(_call("spawn_session", task="[reporter]", copy_notepad=True)),
                _waits_for("{{ [result.spawn_session.id] }}"),
                {"text": _FIRST_RESULT},
            ],
        },
        {
            "when": {"user_matches": r"\[deep (?P<n>\d)\]", "failed": True},
            "reply": _calls(_call("report_result", result="number {{ match.n }} was the deepest")),
        },
        {
            "when": {"user_matches": r"\[deep (?P<n>\d)\]"},
            "turns": [
                _calls(_call("spawn_session", task="[deep {{ match.n | int + 1 }}]")),
                _waits_for(_SPAWNED),
                _calls(_call("report_result", result=_FIRST_RESULT)),
            ],
        },
        {
            "when": {"user_contains": "go deep"},
            "turns": [
                _calls(_call("spawn_session", task="[deep 1]")),
                _waits_for(_SPAWNED),
                {"text": _FIRST_RESULT},
            ],
        },
        {
            "when": {"user_contains": "[asker]"},
            "turns": [
                _calls(_asks("Go on?")),
                _calls(_call("report_result", result="{{ result.ask_user.answer }}")),
            ],
        },
        {
            "when": {"user_contains": "eleven askers"},
            "turns": [
                _calls({**_call("spawn_session", task="[asker] {{ item }}"), "each": "range(11) | list"}),
                {"text": "spawned"},
            ],
        },
        {
            "when": {"user_contains": "tell a story", "call": 1},
            "reply": {"text": _STORY, "pace": {"size": 400, "delay": 0.001}},
        },
        {"when": {"user_contains": "go on where the answer ends"}, "reply": {"text": "and they lived."}},
        {
            "when": {"user_contains": "take your time"},
            "reply": {"text": "no hurry", "fault": {"kind": "hold", "times": 1}},
        },
        {
            "when": {"user_contains": "go round"},
            "reply": _calls(_call("get_state", key="never set"), text="once more"),
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def begin(door: Gateway, text: str, **more: Any) -> str:
    """A new session in which this is said; its id."""
    return str(door.post("/sessions", {"message": text, **more})["id"])


def until(door: Gateway, session: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The session's state once something is so of it."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        state: dict[str, Any] = door.get(f"/sessions/{session}/state")
        if is_so(state):
            return state
        assert time.monotonic() < deadline, f"{session} is {state['status']}: {state['messages'][-2:]}"
        time.sleep(0.05)


def in_state(status: str) -> Callable[[dict[str, Any]], bool]:
    return lambda state: state["status"] == status and not state["queue"]


def calls_of(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for message in state["messages"] for call in message["tool_calls"]]


def has_failed(calls: int) -> Callable[[dict[str, Any]], bool]:
    """Whether its turn failed after so many calls."""
    return lambda state: bool(state["failed_turn"]) and len(calls_of(state)) == calls


def keys(door: Gateway) -> set[str]:
    """What the agent has in its state."""
    return {one["key"] for one in door.get("/agents/default/state")["items"]}


def replays(door: Gateway, *sessions: str) -> None:
    for session in sessions:
        assert door.post(f"/sessions/{session}:replay", {"mode": "strict"})["difference"] is None


def asked_in(model: ModelServer, text: str) -> list[list[dict[str, Any]]]:
    """The messages of each request in the conversation that began with this, in order."""
    return [
        one.messages
        for one in list(model.recording.requests)
        if any(said["role"] == "user" and text in said_in(said) for said in one.messages)
    ]


def test_calls_side_by_side_are_done_while_one_waits_for_its_answer(door: Gateway) -> None:
    session = begin(door, "side by side")
    state = until(door, session, in_state("waiting_for_input"))
    assert [call["status"] for call in calls_of(state)] == ["completed", "pending", "completed"]
    assert {"left", "right"} <= keys(door)
    question = calls_of(state)[1]["call_id"]
    answer = {"call_id": question, "response": {"answer": "left", "from_options": False}}
    door.post(f"/sessions/{session}/tool-responses", answer)
    assert until(door, session, in_state("idle"))["messages"][-1]["text"] == "left it is"
    replays(door, session)


def test_calls_that_cannot_be_run_are_told_to_the_model_beside_its_text(
    door: Gateway, model: ModelServer
) -> None:
    session = begin(door, "all wrong")
    state = until(door, session, in_state("idle"))
    assert [message["text"] for message in state["messages"]] == ["all wrong", "let me try", "that was wrong"]
    assert [call["error"]["kind"] for call in calls_of(state)] == [
        "unknown_tool",
        "malformed_arguments",
        "invalid_arguments",
    ]
    told = [message["content"] for message in asked_in(model, "all wrong")[-1] if message["role"] == "tool"]
    assert ["no_such_tool" in told[0], all('"error"' in one for one in told)] == [True, True]
    replays(door, session)


def test_ids_that_a_provider_repeats_or_leaves_out_confuse_no_calls(
    door: Gateway, model: ModelServer
) -> None:
    session = begin(door, "same ids")
    state = until(door, session, in_state("idle"))
    assert len({call["call_id"] for call in calls_of(state)}) == 5
    assert {call["status"] for call in calls_of(state)} == {"completed"}
    assert {key for key in keys(door) if key.startswith("id ")} == {f"id {n}" for n in range(1, 6)}
    shown = asked_in(model, "same ids")[-1]
    asked = [call["id"] for message in shown for call in message.get("tool_calls") or []]
    assert asked == [message["tool_call_id"] for message in shown if message["role"] == "tool"]
    assert len(set(asked)) == 5
    replays(door, session)


def test_an_empty_answer_is_asked_for_once_more_and_fails_the_turn(door: Gateway, model: ModelServer) -> None:
    session = begin(door, "say nothing")
    state = until(door, session, lambda state: state["failed_turn"] is not None)
    failed = state["failed_turn"]
    assert (failed["kind"], failed["retry_at"]) == ("empty_answer", None)
    assert len(asked_in(model, "say nothing")) == 2
    door.post(f"/sessions/{session}/messages", {"text": "say something"})
    until(door, session, lambda state: state["messages"][-1]["role"] == "assistant")
    replays(door, session)


def test_a_report_ends_a_sub_session_at_once_and_calls_after_it_are_not_made(
    door: Gateway, model: ModelServer
) -> None:
    session = begin(door, "have it reported")
    state = until(door, session, in_state("idle"))
    assert state["messages"][-1]["text"] == "early"
    (child,) = [one["child_id"] for one in state["children"]]
    reported = until(door, child, in_state("completed"))
    assert [call["status"] for call in calls_of(reported)] == ["completed", "cancelled"]
    assert "after the report" not in keys(door)
    assert "1. dig" in asked_in(model, "[reporter]")[0][0]["content"]
    replays(door, session, child)


def test_sub_sessions_nest_three_deep(door: Gateway) -> None:
    session = begin(door, "go deep")
    state = until(door, session, in_state("idle"))
    assert state["messages"][-1]["text"] == "number 3 was the deepest"
    depths = []
    while state["children"]:
        session = state["children"][0]["child_id"]
        state = until(door, session, in_state("completed"))
        depths.append(state["depth"])
        replays(door, session)
    assert depths == [1, 2, 3]
    assert calls_of(state)[0]["error"]["kind"] == "rejected"


def test_of_eleven_children_ten_live_one_asks_the_user_and_all_end_with_their_parent(door: Gateway) -> None:
    session = begin(door, "eleven askers")
    state = until(door, session, in_state("idle"))
    assert [call["status"] for call in calls_of(state)] == ["completed"] * 10 + ["failed"]
    children = [one["child_id"] for one in state["children"]]
    assert len(children) == 10
    asking = {child: until(door, child, in_state("waiting_for_input")) for child in children}
    question = calls_of(asking[children[0]])[0]["call_id"]
    answer = {"call_id": question, "response": {"answer": "yes", "from_options": False}}
    door.post(f"/sessions/{children[0]}/tool-responses", answer)
    state = until(door, session, lambda state: state["children"][0]["status"] == "completed")
    assert state["children"][0]["result"] == "yes"

    door.post(f"/sessions/{session}:archive")
    ended = [until(door, child, in_state("completed")) for child in children]
    assert [calls_of(one)[0]["status"] for one in ended] == ["completed", *["cancelled"] * 9]
    replays(door, session, *children)


def test_a_limit_reached_in_mid_stream_keeps_what_arrived_and_can_be_raised(door: Gateway) -> None:
    session = begin(door, "tell a story", token_limit=6_000)
    state = until(door, session, in_state("token_limit_reached"))
    arrived = state["messages"][-1]["text"]
    assert _STORY.startswith(arrived)
    assert 0 < len(arrived) < len(_STORY)
    door.post(f"/sessions/{session}:continue", {"token_limit": 1_000_000})
    state = until(door, session, in_state("idle"))
    assert [message["text"] for message in state["messages"]] == ["tell a story", arrived, "and they lived."]
    replays(door, session)


def test_what_is_said_while_the_model_answers_is_read_next_in_order(
    door: Gateway, model: ModelServer
) -> None:
    session = begin(door, "take your time")
    deadline = time.monotonic() + _PATIENCE_S
    while not model.recording.held:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for text in ("first of all", "and then"):
        door.post(f"/sessions/{session}/messages", {"text": text})
    model.release()
    state = until(door, session, in_state("idle"))
    said = [(message["role"], message["text"]) for message in state["messages"]]
    assert said == [
        ("user", "take your time"),
        ("assistant", "no hurry"),
        ("user", "first of all"),
        ("user", "and then"),
        ("assistant", "You said: first of all\n\nand then"),
    ]
    replays(door, session)


def test_a_turn_that_goes_round_fails_goes_on_by_a_retry_and_anew_by_a_message(door: Gateway) -> None:
    session = begin(door, "go round")
    state = until(door, session, has_failed(5))
    assert (state["failed_turn"]["kind"], state["failed_turn"]["retry_at"]) == ("loop", None)
    assert state["failed_turn"]["message"].startswith("The model called get_state 5 times in a row")
    assert state["model_calls"] == 5
    door.post(f"/sessions/{session}:retry")
    state = until(door, session, has_failed(10))
    assert "10 times" in state["failed_turn"]["message"]
    door.post(f"/sessions/{session}/messages", {"text": "do something else"})
    state = until(door, session, lambda state: state["messages"][-1]["text"].startswith("You said"))
    assert state["failed_turn"] is None
    replays(door, session)

"""Rewind, from outside: forks, rewinds and their undoing, replay, over HTTP and by the commands."""

import time
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

_PATIENCE_S = 90


def _sets(key: str, value: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "set_state", "arguments": {"key": key, "value": value}}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"paint (?P<key>\S+) (?P<value>\S+)"},
            "turns": [_sets("{{ match.key }}", "{{ match.value }}"), {"text": "painted"}],
        },
        {
            "when": {"user_contains": "twice"},
            "turns": [_sets("twice", "first"), _sets("twice", "second"), {"text": "done twice"}],
        },
        {
            "when": {"user_matches": r"\[helper\] (?P<what>.*)"},
            "turns": [
                {"tool_calls": [{"name": "report_result", "arguments": {"result": "found {{ match.what }}"}}]}
            ],
        },
        {
            "when": {"user_contains": "with two helpers"},
            "turns": [
                {
                    "tool_calls": [
                        {"name": "spawn_session", "arguments": {"task": "[helper] tea"}},
                        {"name": "spawn_session", "arguments": {"task": "[helper] coffee"}},
                    ]
                },
                {
                    "tool_calls": [
                        {
                            "name": "wait_for_sessions",
                            "arguments": {"ids": "{{ results | map(attribute='id') | list }}"},
                        }
                    ]
                },
                {"text": "{{ result.wait_for_sessions.results | map(attribute='result') | join(' and ') }}"},
            ],
        },
        {
            "when": {"user_contains": "change everything"},
            "turns": [
                {
                    "tool_calls": [
                        {
                            "name": "edit_system_prompt",
                            "arguments": {"operation": "append", "content": "Be terse."},
                        },
                        {
                            "name": "edit_learned_notes",
                            "arguments": {"operation": "append", "content": "Likes tea."},
                        },
                        {"name": "set_state", "arguments": {"key": "everything", "value": 1}},
                        {"name": "write_notepad", "arguments": {"content": "1. dig"}},
                    ]
                },
                {"text": "changed"},
            ],
        },
        {
            "when": {"user_contains": "learn more"},
            "turns": [
                {
                    "tool_calls": [
                        {
                            "name": "edit_learned_notes",
                            "arguments": {"operation": "append", "content": "Hates milk."},
                        }
                    ]
                },
                {"text": "learned"},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def say(door: Gateway, text: str, session: str | None = None) -> ChatTurn:
    """Say something and follow the session until it settles."""
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn


def events(door: Gateway, session: str) -> list[tuple[int, str]]:
    found = door.get(f"/sessions/{session}/events", limit=500)["items"]
    return [(event["sequence"], event["type"].split(".")[2]) for event in found]


def last(door: Gateway, session: str, kind: str | None = None) -> int:
    """The sequence of the session's last event (of a kind)."""
    return [sequence for sequence, found in events(door, session) if kind in (None, found)][-1]


def first(door: Gateway, session: str, kind: str) -> int:
    """The sequence of the session's first event of a kind."""
    return next(sequence for sequence, found in events(door, session) if found == kind)


def texts(door: Gateway, session: str) -> list[str]:
    state = door.get(f"/sessions/{session}/state")
    return [message["text"] for message in state["messages"] if message["text"]]


def settled(door: Gateway, session: str) -> dict[str, Any]:
    """The session once it is idle (or has ended) and has answered everything."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        state: dict[str, Any] = door.get(f"/sessions/{session}/state")
        if state["status"] not in ("running", "waiting_for_input") and not state["queue"]:
            return state
        time.sleep(0.05)
    raise AssertionError(f"{session} is still {state['status']}")


def value(door: Gateway, key: str) -> Any:
    """The value of the agent's state; None without one."""
    keys = [one["key"] for one in door.get("/agents/default/state")["items"]]
    return door.get(f"/agents/default/state/{key}")["value"] if key in keys else None


def back(door: Gateway, session: str, to: int, *parts: str, **more: Any) -> dict[str, Any]:
    body = {"to": to, "parts": list(parts) or ["conversation", "agent"], **more}
    done: dict[str, Any] = door.post(f"/sessions/{session}:rewind", body)
    return done


def replays(door: Gateway, *sessions: str) -> None:
    for session in sessions:
        assert door.post(f"/sessions/{session}:replay", {"mode": "strict"})["difference"] is None


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    """The commands of a person who has the gateway's address and token, no more."""
    return Command(tmp_path / "nothing", tmp_path, {"FOLDLINE_URL": stack.url, "FOLDLINE_TOKEN": stack.token})


def test_within_a_record_each_event_has_an_address(door: Gateway, foldline: Command) -> None:
    session = say(door, "paint ladder blue").session_id
    found = door.get(f"/sessions/{session}/events", limit=500)["items"]
    addresses = [event["address"] for event in found]
    place = next(at for at, event in enumerate(found) if event["type"].split(".")[2] == "tool_call_completed")
    result, decision = addresses[place], addresses[place + 1]
    record = found[place]["sequence"]
    assert (result, decision) == (f"{record}.0", f"{record}.1")
    states = [door.get(f"/sessions/{session}/state", at=at) for at in (record - 1, result, decision, record)]
    told = sum(event["sequence"] == record for event in found)
    began = states[0]["events"]
    assert [state["events"] for state in states] == [began, began + 1, began + 2, began + told]
    assert (states[1]["model_calls"] + 1, states[1]["open_calls"]) == (states[2]["model_calls"], [])
    live = (message.id for message in door.follow(session, result) if message.event == "event")
    assert [next(live) for _ in addresses[place + 1 :]] == addresses[place + 1 :]
    timeline = door.get(f"/sessions/{session}/timeline", cursor=decision, min_sequence=found[-1]["sequence"])
    rows = [row["address"] for row in timeline["items"]]
    assert rows == [one for one in addresses[: place + 1][::-1] if one in rows]
    assert result in [row["end"] for row in timeline["items"]]
    fork = door.post(f"/sessions/{session}:fork", {"at": result, "message": "and now?"})
    assert (fork["fork_sequence"], fork["forked_from"]) == (record, session)
    replays(door, session)
    shown = foldline("show", session, "--at", result)
    assert (shown.code, 'completed → {"ok": true}' in shown.out) == (0, True), shown.out + shown.err
    listed = foldline("events", session, "--after", result)
    assert listed.out.split()[0] == decision


def test_a_rewind_does_what_its_preview_said_and_can_be_undone(door: Gateway) -> None:
    session = say(door, "paint wall white").session_id
    point = last(door, session)
    say(door, "paint wall red", session)
    say(door, "paint door green", session)
    before = texts(door, session)

    preview = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert [message["text"] for message in preview["hidden"] if message["text"]] == before[2:]
    changes = [
        (one["name"], one["before"] and one["before"]["value"], one["now"]) for one in preview["agent"]
    ]
    assert [(name, old, now["value"]) for name, old, now in changes] == [
        ("door", None, "green"),
        ("wall", "white", "red"),
    ]
    assert not any(one["touched_by_others"] for one in preview["agent"])

    done = back(door, session, point)
    assert (done["target_sequence"], done["rewound"], done["stays"]) == (point, {"state": 2}, [])
    assert texts(door, session) == before[:2]
    assert (value(door, "wall"), value(door, "door")) == ("white", None)

    undoing = door.get(f"/sessions/{session}/rewind-preview", to=preview["log_sequence"])
    assert [message["text"] for message in undoing["shown_again"] if message["text"]] == before[2:]
    back(door, session, preview["log_sequence"])
    assert texts(door, session) == before
    assert (value(door, "wall"), value(door, "door")) == ("red", "green")
    assert say(door, "still there?", session).answer == "You said: still there?"
    replays(door, session)


def test_prompt_notes_state_and_notepad_go_back_and_forth_but_for_what_another_session_changed(
    door: Gateway,
) -> None:
    def of_the_agent(session: str) -> dict[str, Any]:
        """What the next model call would see and read."""
        number = door.get(f"/sessions/{session}/state")["model_calls"] + 1
        say(door, "what do you see?", session)
        request = door.get(f"/sessions/{session}/model-calls/{number}")["request"]
        system = next(one["content"] for one in request["messages"] if one["role"] == "system")
        words = ("Be terse.", "Likes tea.", "Hates milk.", "1. dig")
        return {
            "seen": {word for word in words if word in str(system)},
            "state": value(door, "everything"),
        }

    session = say(door, "hello").session_id
    point = last(door, session)
    nothing = of_the_agent(session)
    assert nothing == {"seen": set(), "state": None}
    say(door, "change everything", session)
    before = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert {one["kind"]: one["touched_by_others"] for one in before["agent"]} == {
        "prompt": False,
        "notes": False,
        "state": False,
        "notepad": False,
    }
    say(door, "learn more")
    after = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert [one["kind"] for one in after["agent"] if one["touched_by_others"]] == ["notes"]

    done = back(door, session, point)
    assert [one["kind"] for one in done["stays"]] == ["notes"]
    assert set(done["rewound"]) == {"prompt", "state", "notepad"}
    assert of_the_agent(session) == {"seen": {"Likes tea.", "Hates milk."}, "state": None}
    back(door, session, after["log_sequence"])
    everything = {"Be terse.", "Likes tea.", "Hates milk.", "1. dig"}
    assert of_the_agent(session) == {"seen": everything, "state": 1}
    replays(door, session)


def test_what_another_session_changed_since_is_left_out_unless_it_is_named(door: Gateway) -> None:
    shared = {"kind": "state", "names": ["shared"]}
    session = say(door, "paint shared one").session_id
    point = last(door, session)
    say(door, "paint shared two", session)
    say(door, "paint own two", session)
    say(door, "paint shared three")

    preview = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert {one["name"]: one["touched_by_others"] for one in preview["agent"]} == {
        "own": False,
        "shared": True,
    }
    said = texts(door, session)
    done = back(door, session, point, "agent")
    assert done["stays"] == [{"kind": "state", "name": "shared", "why": "changed_by_others"}]
    assert done["sequence"] == last(door, session, "rewound")
    assert (value(door, "shared"), value(door, "own")) == ("three", None)
    back(door, session, point, "agent", including=[shared])
    assert value(door, "shared") == "one"
    assert texts(door, session) == said
    shown = door.get(f"/sessions/{session}/messages", min_sequence=last(door, session))["items"]
    assert {message["hidden_by"] for message in shown} == {None}

    back(door, session, preview["log_sequence"], "agent", including=[shared])
    assert (value(door, "shared"), value(door, "own")) == ("three", "two")
    replays(door, session)


def test_what_a_closed_session_made_can_go_back_while_what_it_said_stays(door: Gateway) -> None:
    session = say(door, "paint fence white").session_id
    point = last(door, session)
    say(door, "paint fence red", session)
    door.post(f"/sessions/{session}:archive")
    back(door, session, point, "agent")
    assert value(door, "fence") == "white"
    assert len(texts(door, session)) == 4
    assert door.get(f"/sessions/{session}/state")["status"] == "completed"
    replays(door, session)


def test_what_the_user_changed_since_is_left_out_too(door: Gateway) -> None:
    session = say(door, "paint mine one").session_id
    door.put("/agents/default/state/mine", {"value": "by hand"})
    done = back(door, session, 1 + door.get(f"/sessions/{session}/events")["items"][0]["sequence"], "agent")
    assert done["stays"] == [{"kind": "state", "name": "mine", "why": "changed_by_others"}]
    assert value(door, "mine") == "by hand"


def test_a_rewind_requested_twice_with_one_key_happens_once(door: Gateway) -> None:
    session = say(door, "hello").session_id
    point = last(door, session)
    say(door, "paint once yes", session)
    body = {"to": point, "parts": ["conversation", "agent"]}
    answers = [door.post(f"/sessions/{session}:rewind", body, "one-key") for _ in range(2)]
    assert answers[0] == answers[1]
    assert [kind for _, kind in events(door, session)].count("rewound") == 1
    with pytest.raises(Rejected, match="another body"):
        door.post(f"/sessions/{session}:rewind", {**body, "to": point - 1}, "one-key")


def test_going_back_into_a_turn_leads_to_before_its_open_call(door: Gateway) -> None:
    session = say(door, "twice").session_id
    asked = [sequence for sequence, kind in events(door, session) if kind == "tool_call_requested"][1]
    first_result = first(door, session, "tool_call_completed")
    done = back(door, session, asked)
    assert done["target_sequence"] == first_result
    assert value(door, "twice") == "first"
    assert say(door, "and now?", session).answer == "You said: and now?"
    replays(door, session)


def test_what_cannot_go_back_says_why(door: Gateway) -> None:
    session = say(door, "hello").session_id
    began = events(door, session)[0][0]
    for body, why in [
        ({"to": 10**9, "parts": ["conversation"]}, "no event 1000000000 yet"),
        ({"to": began - 1, "parts": ["conversation"]}, "began after"),
    ]:
        with pytest.raises(Rejected, match=why):
            door.post(f"/sessions/{session}:rewind", body)
    door.post(f"/sessions/{session}:archive")
    with pytest.raises(Rejected, match="fork it"):
        back(door, session, began)


def test_a_fork_goes_another_way_and_the_other_session_stays_as_it_is(door: Gateway) -> None:
    session = say(door, "first").session_id
    point = last(door, session)
    say(door, "second", session)
    before = texts(door, session)
    body = {"at": point, "message": "second, edited", "title": "Another way"}
    fork = door.post(f"/sessions/{session}:fork", body, "fork-key")
    assert (fork["fork_sequence"], fork["forked_from"], fork["title"]) == (point, session, "Another way")
    assert settled(door, fork["id"])["status"] == "idle"
    assert texts(door, fork["id"]) == [
        "first",
        "You said: first",
        "second, edited",
        "You said: second, edited",
    ]
    assert texts(door, session) == before
    assert door.post(f"/sessions/{session}:fork", body, "fork-key") == fork
    with pytest.raises(Rejected, match="another body"):
        door.post(f"/sessions/{session}:fork", {**body, "message": "third"}, "fork-key")
    replays(door, session, fork["id"])


def test_a_closed_session_can_be_forked(door: Gateway) -> None:
    session = say(door, "first").session_id
    point = last(door, session)
    door.post(f"/sessions/{session}:archive")
    fork = door.post(f"/sessions/{session}:fork", {"at": point, "message": "go on"})["id"]
    settled(door, fork)
    assert texts(door, fork)[-1] == "You said: go on"


def test_a_live_replay_asks_the_model_again(door: Gateway, model: ModelServer) -> None:
    session = say(door, "twice").session_id
    first_result = first(door, session, "tool_call_completed")
    asked = model.recording.count
    live = door.post(f"/sessions/{session}:replay", {"mode": "live", "at": first_result})
    settled(door, live["id"])
    assert model.recording.count == asked + 2
    assert texts(door, live["id"])[-1] == "done twice"
    with pytest.raises(Rejected, match="No turn was going on"):
        door.post(f"/sessions/{session}:replay", {"mode": "live", "at": last(door, session)})
    with pytest.raises(Rejected, match="needs `at`"):
        door.post(f"/sessions/{session}:replay", {"mode": "live"})
    replays(door, session, live["id"])


def test_two_helpers_work_and_report(door: Gateway) -> None:
    session = say(door, "research with two helpers").session_id
    state = settled(door, session)
    assert texts(door, session)[-1] == "found tea and found coffee"
    assert [(child["status"], child["result"]) for child in state["children"]] == [
        ("completed", "found tea"),
        ("completed", "found coffee"),
    ]
    replays(door, session, *(child["child_id"] for child in state["children"]))


def test_the_commands_fork_show_rewind_and_verify(door: Gateway, foldline: Command) -> None:
    session = say(door, "paint roof grey").session_id
    point = last(door, session)
    say(door, "paint roof black", session)
    forked = foldline("fork", session, "--at", str(point), "--message", "other", "--json")
    assert forked.json["fork_sequence"] == point
    shown = foldline("show", session)
    assert forked.json["id"] in shown.out

    refused = foldline("rewind", session, "--to", str(point), stdin="n\n")
    assert (refused.code, value(door, "roof")) == (1, "black")
    assert '"black" → "grey"' in refused.out
    done = foldline("rewind", session, "--to", str(point), "--part", "agent", "--yes")
    assert (done.code, value(door, "roof")) == (0, "grey"), done.err
    assert len(texts(door, session)) == 4

    live = foldline("replay", session, "--live", "--at", str(point + 3), "--json")
    assert live.code == 0, live.err
    settled(door, live.json["id"])
    verified = foldline("verify")
    assert (verified.code, " 0 differ" in verified.out) == (0, True), verified.out

"""A foreign server asks a person in the middle of a call: over a restart of everything, once."""

import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.asker import asker
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

SERVERS = "/agents/default/mcp-servers"
OSLO = {"action": "submit", "data": {"city": "Oslo", "nights": 2}}
BOTH = pytest.mark.parametrize("old", [False, True], ids=["2026-07-28", "2025-11-25"])


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def stack(script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {**script.environment(), "FOLDLINE_ACK_WAIT": "5"}
    with Stack(tmp_path_factory.mktemp("asking"), processes=True, env=env) as stack:
        with stack.gateway() as door:
            door.put("/agents/default/policy", {"preset": "free", "rules": []})
        yield stack


@pytest.fixture
def done(stack: Stack, old: bool) -> Iterator[list[str]]:
    """A server that asks, accepted; what it did."""
    server, done = asker()
    with addressed(server, old=old) as here:
        with stack.gateway() as door:
            door.put(f"{SERVERS}/asker", {"transport": {"kind": "http", "url": here.url}})
            door.post(f"{SERVERS}/asker:allow", {"private": True})
            door.post(f"{SERVERS}/asker:test", {})
            version = door.get(f"{SERVERS}/asker/tools")["version"]
            door.post(f"{SERVERS}/asker:accept", {"version": version})
        yield done
    with stack.gateway() as door:
        door.delete(f"{SERVERS}/asker")


def asked(door: Gateway, script: ModelServer, tool: str = "asker__book", **given: Any) -> ChatTurn:
    """A new session whose call waits for a person."""
    call = {"tool_calls": [{"name": tool, "arguments": given or {"purpose": "work"}}]}
    script.play({"rules": [{"turns": [call, {"text": "Done."}]}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    list(turn.pieces())
    assert turn.status == "waiting_for_input", turn.failure
    assert turn.question is not None
    return turn


def answer(door: Gateway, session: str, call: str, response: Any) -> None:
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call, "response": response})


def over(door: Gateway, session: str) -> dict[str, Any]:
    """The first call of the session, once it has ended. A message that came meanwhile may lead to more."""
    deadline = time.monotonic() + 60
    while True:
        calls = [one for message in messages(door, session) for one in message["tool_calls"]]
        if calls and calls[0]["status"] in ("completed", "failed", "cancelled"):
            return dict(calls[0])
        assert time.monotonic() < deadline, calls
        time.sleep(0.2)


@BOTH
@pytest.mark.faults
def test_an_answer_comes_after_every_process_was_killed_and_started_again(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    with stack.gateway() as door:
        turn = asked(door, script)
        assert turn.question is not None
        session, call = turn.session_id, turn.question.call_id
    stack.stop(signal.SIGKILL)
    stack.start()
    with stack.gateway() as door:
        answer(door, session, call, OSLO)
        ended = over(door, session)
    if old:
        assert ended["error"]["kind"] == "outcome_unknown", "the call was open at a host that is gone"
        assert done == []
    else:
        assert ended["result"] == {"structured": {"result": "work: Oslo 2 False"}}, ended
        assert done == ["work: Oslo 2 False"], "it was done once"


@BOTH
def test_what_does_not_fit_is_refused_and_of_two_answers_at_once_one_counts(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    with stack.gateway() as door:
        turn = asked(door, script)
        assert turn.question is not None
        session, call = turn.session_id, turn.question.call_id
        for wrong in (
            {},
            {"action": "submit"},
            {"action": "submit", "data": {"city": "Oslo"}},
            {"action": "submit", "data": {"city": "O", "nights": 2}},
            {"action": "submit", "data": {"city": "Oslo", "nights": 31}},
            {"action": "submit", "data": {"city": "Oslo", "nights": 2, "more": 1}},
            {"action": "decline", "data": {}},
            "yes",
        ):
            with pytest.raises(Rejected):
                answer(door, session, call, wrong)
        kinds: list[str] = []

        def at_once(city: str) -> None:
            with stack.gateway() as own:
                try:
                    answer(own, session, call, {"action": "submit", "data": {"city": city, "nights": 2}})
                    kinds.append("accepted")
                except Rejected as refused:
                    kinds.append(refused.kind)

        threads = [threading.Thread(target=at_once, args=(city,)) for city in ("Oslo", "Rome")]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert sorted(kinds)[0] == "accepted"
        assert kinds.count("accepted") == 1, kinds
        assert over(door, session)["error"] is None
        with pytest.raises(Rejected):
            answer(door, session, call, OSLO)
    assert len(done) == 1, done


@BOTH
def test_stop_ends_what_waits_and_a_rewind_goes_back_before_it(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    with stack.gateway() as door:
        turn = asked(door, script)
        turn.stop()
        assert over(door, turn.session_id)["status"] == "cancelled"
        turn = asked(door, script)
        assert turn.question is not None
        first = next(
            one["address"]
            for one in door.get(f"/sessions/{turn.session_id}/events")["items"]
            if one["type"].endswith("created.v1")
        )
        door.post(f"/sessions/{turn.session_id}:rewind", {"to": first, "parts": ["conversation"]})
        with pytest.raises(Rejected):
            answer(door, turn.session_id, turn.question.call_id, OSLO)
    assert done == []


@BOTH
def test_it_is_asked_twice_and_a_message_meanwhile_is_no_answer(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    with stack.gateway() as door:
        turn = asked(door, script, "asker__ask", times=2)
        assert turn.question is not None
        session, call = turn.session_id, turn.question.call_id
        door.post(f"/sessions/{session}/messages", {"text": "Oslo, I think"})
        turn.answer_call(call, {"action": "submit", "data": {"n": "1"}})
        list(turn.pieces())
        assert turn.question is not None, "it asks again"
        assert turn.question.show["round"] == 2
        turn.answer_call(call, {"action": "submit", "data": {"n": "2"}})
        assert over(door, session)["result"] == {"structured": {"result": "asked 2"}}
        turn.stop()
    assert done == ["asked 2"]


@BOTH
def test_several_asks_of_one_round_are_answered(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    with stack.gateway() as door:
        turn = asked(door, script, "asker__ask_together")
        for _ in range(3 if old else 1):
            question = turn.question
            assert question is not None
            fields = [field["name"] for step in question.show["steps"] for field in step["fields"]]
            data = {name: str(number) for number, name in enumerate(fields)}
            turn.answer_call(question.call_id, {"action": "submit", "data": data})
            list(turn.pieces())
        assert turn.status == "idle", turn.failure
        assert over(door, turn.session_id)["error"] is None
    assert done == ["accept 0, accept 0, accept None" if old else "accept 0, accept 1, accept None"]


def test_all_of_it_replays_with_the_servers_gone(stack: Stack) -> None:
    every_session_replays(stack)

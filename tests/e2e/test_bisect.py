"""Which event broke it: real probes of a real agent, by a scripted model."""

import time
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.turns import Turn

SCHEMA = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
RIGHT = "return args.c * 1.8 + 32"
WRONG = "return args.c * 1.9 + 32"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "convert"},
            "turns": [
                {"tool_calls": [{"name": "warm", "arguments": {"c": 100}}]},
                {"text": "It is {{ results[-1] }} degrees."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def put_tool(door: Gateway, agent: str, code: str) -> int:
    body = {"description": "Celsius to Fahrenheit.", "parameter_schema": SCHEMA, "code": code}
    return int(door.put(f"/agents/{agent}/tools/warm", body)["sequence"])


def put_state(door: Gateway, agent: str, name: str, value: Any) -> int:
    return int(door.put(f"/agents/{agent}/state/{name}", {"value": value})["sequence"])


def over(door: Gateway, agent: str, within: float = 120) -> dict[str, Any]:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        found: dict[str, Any] = door.get(f"/agents/{agent}/bisection")
        if found["status"] not in ("running", "stopping"):
            return found
        time.sleep(0.1)
    raise TimeoutError(found)


@pytest.fixture
def agent(door: Gateway, request: pytest.FixtureRequest) -> str:
    name = f"b_{abs(hash(request.node.name)) % 10**8}"
    door.post("/agents", {"name": "Bisected", "id": name, "starters": False})
    put_tool(door, name, RIGHT)
    return name


CHECK = {"ask": "convert 100", "expect": "212"}


def test_the_event_that_spoilt_a_tool_is_found_and_nothing_of_the_agent_changes(
    door: Gateway, agent: str
) -> None:
    for number in range(6):
        put_state(door, agent, "before", number)
    spoilt = put_tool(door, agent, WRONG)
    for number in range(6):
        put_state(door, agent, "after", number)
    before = door.get(f"/agents/{agent}/state")
    cost = door.post(f"/agents/{agent}/bisect-preview", CHECK)
    assert (cost["events"], cost["probes"]) == (14, 5)
    assert (cost["least_runs"], cost["most_runs"]) == (10, 15)
    door.post(f"/agents/{agent}/bisect", CHECK)
    with pytest.raises(Rejected, match="stop it first"):
        door.post(f"/agents/{agent}/bisect", CHECK)
    found = over(door, agent)
    assert found["status"] == "found", found
    assert found["spoilt_by"]["sequence"] == spoilt
    assert (found["spoilt_by"]["kind"], found["spoilt_by"]["name"]) == ("tool", "warm")
    assert len(found["probes"]) <= 5
    assert all(len(probe["runs"]) == 2 for probe in found["probes"])
    assert found["tokens"] > 0
    assert door.get(f"/agents/{agent}/state") == before
    run = found["probes"][0]["runs"][0]
    assert "222" in run["answer"]
    assert door.get(f"/sessions/{run['session_id']}")["status"] == "completed"
    assert found["probe_agent"] not in [one["id"] for one in door.get("/agents")["agents"]]
    listed = [one["agent_id"] for one in door.get("/sessions", limit=50)["sessions"]]
    assert found["probe_agent"] not in listed
    with pytest.raises(Rejected, match="reserved"):
        door.post("/agents", {"name": "Mine", "id": "probe_mine"})


def test_a_function_tells_too_and_sees_state_and_database_as_they_were(door: Gateway, agent: str) -> None:
    code = (
        "const [{n}] = (await db.query('SELECT count(*) AS n FROM tea')).rows;"
        "await state.set('seen', n); return n < 3 && (await state.get('limit')) === 3"
    )
    made = {"description": "Whether all is well.", "parameter_schema": {"type": "object"}, "code": code}
    turn = Turn(door, str(door.post("/sessions", {"agent_id": agent})["id"]))
    del turn
    door.put(f"/agents/{agent}/functions/well", made)
    put_state(door, agent, "limit", 3)
    good = put_state(door, agent, "other", 1)
    put_state(door, agent, "other", 2)
    spoilt = put_state(door, agent, "limit", 4)
    put_state(door, agent, "other", 3)
    code = "return (await state.get('limit')) === 3"
    assert good < spoilt
    door.post(f"/agents/{agent}/bisect", {"function": "well", "good": good})
    found = over(door, agent)
    assert found["status"] in ("found", "not_found", "failed")


def test_what_holds_now_is_not_searched_and_stop_ends_it(door: Gateway, agent: str) -> None:
    put_state(door, agent, "one", 1)
    door.post(f"/agents/{agent}/bisect", CHECK)
    found = over(door, agent)
    assert (found["status"], len(found["probes"])) == ("not_found", 1)
    assert "nothing is spoilt" in found["reason"]
    for number in range(40):
        put_state(door, agent, "more", number)
    door.post(f"/agents/{agent}/bisect", {"ask": "hello", "expect": "never said"})
    stopped = door.post(f"/agents/{agent}/bisection/stop")
    assert stopped["status"] == "stopped"
    with pytest.raises(Rejected, match="must contain"):
        door.post(f"/agents/{agent}/bisect-preview", {"ask": "hello"})

"""What an agent made for itself goes back and forth with its session: tools, pages, skills, its database."""

import asyncio
import time
import uuid
from collections import Counter
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_platform.entities.entities import Entities
from agent_platform.process.clock import SystemClock
from foldline.cli.client import Gateway
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack
from foldline_testing.projector.entity_rows import in_the_log, in_the_tables, stored_rows

_PATIENCE_S = 90
_SCHEMA = {"type": "object"}


def _call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


def _code(name: str, code: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"For {name}.", "code": code, **more}


_MADE = [
    _call("create_tool", **_code("own_sum", "return 1 + 1", parameter_schema=_SCHEMA)),
    _call("create_function", **_code("own_half", "return args.n / 2", parameter_schema=_SCHEMA)),
    _call("create_library", **_code("own_lib", "exports.sq = (n) => n * n")),
    _call("create_ui_component", **_code("Own card", "export default () => <b>1</b>")),
    _call("create_skill", name="own-skill", description="How to dig.", content="Dig."),
    _call("set_state", key="own", value=1),
    _call("db_sql", sql="CREATE TABLE own (a)"),
]
_SQL = "{{ match.1 }}"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "make everything"},
            "turns": [
                {"tool_calls": _MADE},
                {"tool_calls": [_call("db_sql", sql="INSERT INTO own VALUES ('kept')")]},
                {"text": "made"},
            ],
        },
        {
            "when": {"user_contains": "change the library"},
            "turns": [
                {
                    "tool_calls": [
                        _call("update_library", name="own_lib", code="exports.sq = () => 0"),
                        _call("create_tool", **_code("others_tool", "return 3", parameter_schema=_SCHEMA)),
                    ]
                },
                {"text": "changed"},
            ],
        },
        {
            "when": {"user_matches": r"^sql (.+)$"},
            "turns": [{"tool_calls": [_call("db_sql", sql=_SQL)]}, {"text": "done"}],
        },
        {
            "when": {"user_contains": "use the sum"},
            "turns": [{"tool_calls": [_call("own_sum")]}, {"text": "used"}],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
OWN = {
    ("tool", "own_sum"),
    ("function", "own_half"),
    ("component", "Own card"),
    ("skill", "own-skill"),
    ("state", "own"),
}
KINDS = ("tool", "function", "library", "component", "skill", "state")
LIBRARY = ("library", "own_lib")
DATABASE = ("database", "database")
PARTS = ["conversation", "agent", "database"]


class Sessions:
    """Sessions of an agent of its own."""

    def __init__(self, door: Gateway) -> None:
        self.door = door
        self.agent = f"builder-{uuid.uuid4().hex[:8]}"
        door.post("/agents", {"id": self.agent, "name": "Builder"})

    def said(self, text: str, session: str | None = None) -> str:
        """Say it, in a new session if none is named, and wait for the answer."""
        if session is None:
            session = str(self.door.post("/sessions", {"agent_id": self.agent, "message": text})["id"])
        else:
            self.door.post(f"/sessions/{session}/messages", {"text": text})
        deadline = time.monotonic() + _PATIENCE_S
        while (state := self.door.get(f"/sessions/{session}/state"))["status"] == "running" or state["queue"]:
            assert time.monotonic() < deadline, f"{text!r} is not answered"
            time.sleep(0.05)
        assert state["status"] == "idle"
        return session

    def results(self, text: str, session: str | None = None) -> list[Any]:
        """What the calls came to that a message led to: results, or the errors' messages."""
        session = self.said(text, session)
        found = messages(self.door, session)
        calls = [call for message in found for call in message["tool_calls"] if not message["hidden_by"]]
        return [call["result"] if call["error"] is None else call["error"]["message"] for call in calls]

    def sees(self, session: str) -> set[str]:
        """What the next model call is offered and told of what this agent made."""
        number = self.door.get(f"/sessions/{session}/state")["model_calls"] + 1
        self.said("what do you see?", session)
        request = self.door.get(f"/sessions/{session}/model-calls/{number}")["request"]
        (system,) = [one["content"] for one in request["messages"] if one["role"] == "system"]
        offered = {tool["function"]["name"] for tool in request["tools"]} & {"own_sum", "others_tool"}
        return offered | {word for word in ("own-skill", "Own card") if word in str(system)}

    def rows(self) -> Any:
        """What a runner reads of the agent's database."""
        (found,) = self.results("sql SELECT a FROM own ORDER BY rowid")
        return found["rows"] if isinstance(found, dict) else found

    def back(self, session: str, to: int) -> tuple[dict[str, int], set[tuple[str, str]]]:
        """Rewind everything: how many things of each kind went back, and what stays."""
        done = self.door.post(f"/sessions/{session}:rewind", {"to": to, "parts": PARTS})
        return done["rewound"], named(done["stays"])


def tables_agree(stack: Stack, agent_id: str) -> dict[str, int]:
    """Postgres holds what the entities of the agent say. Gives the number of rows of each kind."""

    async def compare() -> dict[str, int]:
        agents = [AgentId(agent_id)]
        async with log_view(stack.data_dir) as view:
            entities = Entities(view.log, SystemClock(), event_sources.RUNNER)
            deadline = time.monotonic() + _PATIENCE_S
            while True:
                found = in_the_tables(await stored_rows(view.postgres_dsn, agents))
                if found == await in_the_log(entities, agents):
                    return {kind: len(rows) for kind, rows in found.items()}
                assert time.monotonic() < deadline, "the tables don't say what the entities say"
                await asyncio.sleep(0.1)

    return asyncio.run(compare())


def named(found: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Kinds and names."""
    return {(one["kind"], one["name"]) for one in found}


def of_each_kind(things: set[tuple[str, str]]) -> dict[str, int]:
    """How many there are of each kind."""
    return dict(Counter(kind for kind, _ in things))


@pytest.fixture
def agent(door: Gateway) -> Sessions:
    return Sessions(door)


def test_what_a_session_made_of_its_agent_goes_back_and_forth_but_for_what_others_changed(
    agent: Sessions, door: Gateway, stack: Stack
) -> None:
    secrets = f"/agents/{agent.agent}/secrets"
    door.put(f"{secrets}/WEATHER_KEY", {"value": "s3cret-value", "hosts": ["weather.test"]})
    session = agent.said("hello")
    point = door.get(f"/sessions/{session}/state")["last_sequence"]
    secret = door.get(secrets)
    first = tables_agree(stack, agent.agent)
    agent.said("make everything", session)
    assert agent.rows() == [["kept"]]
    made = tables_agree(stack, agent.agent)
    assert made == first | {kind: first[kind] + 1 for kind in KINDS}
    assert agent.sees(session) == {"own_sum", "own-skill", "Own card"}
    before = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert {(one["kind"], one["name"]): one["touched_by_others"] for one in before["agent"]} == dict.fromkeys(
        {*OWN, LIBRARY}, False
    )
    assert all(one["before"] is None for one in before["agent"])
    assert (before["database"]["writes"], before["database"]["by_others"]) == (2, 0)

    agent.said("change the library")
    after = door.get(f"/sessions/{session}/rewind-preview", to=point)
    assert named([one for one in after["agent"] if one["touched_by_others"]]) == {LIBRARY}

    assert agent.back(session, point) == (of_each_kind({*OWN, DATABASE}), {LIBRARY})
    assert agent.sees(session) == {"others_tool"}
    left = {kind: first[kind] + 1 for kind in ("tool", "library")}
    assert tables_agree(stack, agent.agent) == first | left
    assert "no such table: own" in agent.rows()
    for kind, name in OWN - {("state", "own")}:
        with pytest.raises(Rejected, match="There is no"):
            door.get(f"/agents/{agent.agent}/{kind}s/{name}")
    library = door.get(f"/agents/{agent.agent}/libraries/own_lib")["definition"]
    assert library["code"] == "exports.sq = () => 0"
    assert door.get(f"/agents/{agent.agent}/state")["items"] == []
    assert door.get(secrets) == secret

    assert agent.back(session, after["log_sequence"]) == (of_each_kind({*OWN, DATABASE}), set())
    assert agent.sees(session) == {"own_sum", "own-skill", "Own card", "others_tool"}
    assert tables_agree(stack, agent.agent) == made | {"tool": made["tool"] + 1}
    assert agent.results("use the sum") == [2]
    half = door.post(f"/agents/{agent.agent}/functions/own_half:invoke", {"arguments": {"n": 5}})
    assert half == {"result": 2.5}
    assert agent.rows() == [["kept"]]
    agent.said("sql INSERT INTO own VALUES ('after')")
    assert agent.rows() == [["kept"], ["after"]]
    assert door.get(secrets) == secret
    assert door.post(f"/sessions/{session}:replay", {"mode": "strict"})["difference"] is None


def test_a_database_that_others_wrote_to_stays_unless_it_is_asked_for(agent: Sessions, door: Gateway) -> None:
    session = agent.said("sql CREATE TABLE own (a)")
    point = door.get(f"/sessions/{session}/state")["last_sequence"]
    agent.said("sql INSERT INTO own VALUES ('mine')", session)
    agent.said("sql INSERT INTO own VALUES ('of others')")
    assert door.get(f"/sessions/{session}/rewind-preview", to=point)["database"]["by_others"] == 1
    assert agent.back(session, point) == ({}, {DATABASE})
    assert agent.rows() == [["mine"], ["of others"]]
    body = {"to": point, "parts": ["database"], "including": [{"kind": "database"}]}
    assert door.post(f"/sessions/{session}:rewind", body)["rewound"] == {"database": 1}
    assert agent.rows() == []
    agent.said("sql INSERT INTO own VALUES ('new')", session)
    assert agent.rows() == [["new"]]

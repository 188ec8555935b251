"""A session's history: rows, places to stop at, the agent as of them, and what led to what."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.address import parse_address
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.gateway.running import AGENT, RunningGateway, Start
from foldline_testing.gateway.tables import used

Tables = psycopg.AsyncConnection[Any]
TIME = "2026-01-31T12:{:02d}:{:02d}.5Z"


def place(address: str | int) -> int:
    return parse_address(str(address)).place


def at(second: int) -> str:
    return TIME.format(second // 60 % 60, second % 60)


async def put(tables: Tables, table: str, **row: Any) -> None:
    names, values = ", ".join(row), ", ".join(f"%({name})s" for name in row)
    adapted = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in row.items()}
    await tables.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", adapted)


class Written:
    """Writes the tables as the projector would."""

    def __init__(self, tables: Tables, gateway: RunningGateway) -> None:
        self.tables = tables
        self.gateway = gateway
        self.session = ""

    async def begin(self, session: str, **more: Any) -> str:
        row: dict[str, Any] = {
            "agent_id": AGENT,
            "depth": 0,
            "status": "idle",
            "token_limit": 1000,
            "usage": used(3, 4),
            "model_call_count": 0,
            "waiting_calls": [],
            "created_at": at(0),
            "active_at": at(9),
            "updated_at": at(9),
            "last_sequence": 1,
            "segments": [[session, 0, None]],
        }
        await put(self.tables, "sessions", session_id=session, **row | more)
        self.session = session
        return session

    async def event(self, address: str | int, kind: str, cause: int | None = None, **body: Any) -> None:
        where = place(address)
        row: dict[str, Any] = {
            "subject": "-",
            "agent_id": AGENT,
            "time": at(where // 4096),
            "actor": "service",
        }
        kind = f"foldline.session.{kind}.v1"
        row |= {"place": where, "type": kind, "causation": cause, "body": body}
        await put(self.tables, "events", session_id=self.session, **row)

    async def thing(self, address: int, subject: str, value: Any = None, **body: Any) -> None:
        what = "deleted" if value is None else "written"
        row: dict[str, Any] = {
            "subject": f"agt.{AGENT}.{subject}",
            "agent_id": AGENT,
            "time": at(address),
            "actor": "agent",
        }
        row |= {"place": place(address), "type": f"foldline.agent.entity_{what}.v1"}
        await put(self.tables, "events", body={"value": value, **body}, **row)

    async def model_call(self, call_id: str, began: str | int, ended: str | int | None, **more: Any) -> None:
        row: dict[str, Any] = {
            "number": 1,
            "status": "completed" if ended else "requested",
            "attempts": 1,
            "latency_ms": 700,
        }
        row |= {"requested_place": place(began), "result_place": place(ended) if ended else None}
        row |= {"requested_at": at(place(began) // 4096)}
        await put(self.tables, "model_calls", session_id=self.session, call_id=call_id, **row | more)

    async def tool_call(self, call_id: str, began: str | int, ended: str | int | None, **more: Any) -> None:
        row: dict[str, Any] = {
            "position": 0,
            "tool": "set_state",
            "arguments": {"key": "a"},
            "model_call_id": "m1",
            "message_place": place("22.0"),
        }
        row |= {"status": "completed" if ended else "pending"}
        row |= {"requested_place": place(began), "result_place": place(ended) if ended else None}
        row |= {"requested_at": at(place(began) // 4096)}
        row |= {"accounting": {"attempt": 2, "duration_ms": 12} if ended else {"attempt": 2}}
        await put(self.tables, "tool_calls", session_id=self.session, call_id=call_id, **row | more)

    async def reach(self, sequence: int = 10_000_000) -> None:
        await self.tables.execute("DELETE FROM checkpoint")
        await put(self.tables, "checkpoint", consumer="projector", sequence=sequence, version="test")

    async def get(self, path: str, **params: Any) -> Any:
        answer = await self.gateway.client.get(f"/api/v1{path}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
async def written(start: Start, projections: Tables, postgres_dsn: str) -> Written:
    found = Written(projections, await start(dsn=postgres_dsn))
    await found.reach()
    return found


async def a_turn(written: Written) -> str:
    """A message, one model call with a tool call that writes the state, and one that waits."""
    session = await written.begin(await written.gateway.new_session())
    await written.event(20, "user_message", text="hi")
    await written.event("21.0", "turn_started", cause=20)
    await written.event("21.1", "model_call_requested", call_id="m1")
    await written.event("22.0", "model_call_completed", call_id="m1", text="I shall")
    await written.event("22.1", "tool_call_requested", call_id="m1-00", tool="set_state")
    await written.event(23, "call_claimed", call_id="m1-00")
    await written.thing(24, "state.a", {"v": 1}, session_id=session, call_id="m1-00")
    await written.event("25.0", "tool_call_completed", call_id="m1-00", result={"stored": "needle"})
    await written.event("25.1", "tool_call_requested", call_id="m1-01", tool="ask_user")
    await written.event(26, "tool_call_pending", call_id="m1-01")
    await written.model_call("m1", "21.1", "22.0", text="I shall")
    await written.tool_call("m1-00", "22.1", "25.0", result={"stored": "needle"})
    await written.tool_call("m1-01", "25.1", None, tool="ask_user", position=1)
    return session


async def test_a_call_and_its_result_are_one_row_with_what_it_changed(written: Written) -> None:
    session = await a_turn(written)
    page = await written.get(f"/sessions/{session}/timeline")
    assert page["count"] == 9
    assert [(row["address"], row["type"], row["state"]) for row in page["items"]] == [
        ("25.1", "tool_call_requested", "pending"),
        ("22.1", "tool_call_requested", "done"),
        ("21.1", "model_call_requested", "done"),
        ("21.0", "turn_started", None),
        ("20", "user_message", None),
    ]
    call, model = page["items"][1:3]
    assert (call["end"], call["duration_ms"], call["attempts"], call["tool"]) == ("25.0", 12, 2, "set_state")
    assert call["arguments"] == {"key": "a"}
    assert call["changed"] == [{"kind": "state", "name": "a", "address": "24", "deleted": False}]
    assert (model["end"], model["answer"], model["number"]) == ("22.0", "I shall", 1)
    assert (model["asked"], call["asked"]) == (["set_state", "ask_user"], [])


async def test_a_yes_is_asked_for_and_given_in_rows_of_their_own(written: Written) -> None:
    session = await written.begin(await written.gateway.new_session())
    await written.event("25.1", "tool_call_pending", call_id="m1-00")
    await written.event(26, "waiting", calls=["m1-00"])
    of_call: dict[str, Any] = {"tool": "run_command", "arguments": {"command": "date"}}
    never_ran: dict[str, Any] = {"requested_place": None, "requested_at": None, "accounting": None}
    await written.tool_call("m1-00", 25, None, show={"kind": "approval"}, **of_call, **never_ran)
    waits = (await written.get(f"/sessions/{session}/timeline"))["items"]
    assert [(row["type"], row["state"], row["asked"]) for row in waits] == [
        ("waiting", None, ["run_command"]),
        ("tool_call_pending", "pending", []),
    ]
    attention = await written.get(f"/sessions/{session}/timeline", group="attention")
    assert [row["type"] for row in attention["items"]] == ["tool_call_pending"]
    no = {"decision": "refuse", "reason": "Not in UTC"}
    await written.event(27, "tool_response", call_id="m1-00", response=no)
    await written.tables.execute("UPDATE tool_calls SET status = 'failed' WHERE call_id = 'm1-00'")
    answered, _, asked = (await written.get(f"/sessions/{session}/timeline"))["items"]
    assert (answered["tool"], answered["decision"], answered["text"]) == (
        "run_command",
        "refuse",
        "Not in UTC",
    )
    assert (asked["state"], asked["decision"], asked["arguments"]) == (None, None, {"command": "date"})


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"group": "tools"}, ["25.1", "22.1"]),
        ({"group": "messages"}, ["21.1", "20"]),
        ({"group": "changes"}, ["22.1"]),
        ({"group": "attention"}, ["25.1"]),
        ({"q": "NEEDLE"}, ["22.1"]),
        ({"q": "%_"}, []),
        ({"limit": 1, "cursor": "22.1"}, ["21.1"]),
    ],
)
async def test_rows_are_found_by_group_and_text(
    written: Written, asked: dict[str, Any], shown: list[str]
) -> None:
    session = await a_turn(written)
    page = await written.get(f"/sessions/{session}/timeline", **asked)
    assert [row["address"] for row in page["items"]] == shown


async def test_the_outline_has_every_place_to_stop_and_where_the_agent_changed(written: Written) -> None:
    session = await a_turn(written)
    await written.thing(40, "prompt.prompt", "Be brief.")
    await written.thing(41, "run.daily", {"v": 1})
    outline = await written.get(f"/sessions/{session}/outline")
    assert outline["events"] == ["20", "21.0", "21.1", "22.0", "22.1", "23", "25.0", "25.1", "26"]
    assert (outline["turns"], outline["left_out"]) == (["21.0"], 0)
    assert [(one["kind"], one["address"], one["session_id"]) for one in outline["changes"]] == [
        ("prompt", "40", None),
        ("state", "24", session),
    ]
    later = await written.get(f"/sessions/{session}/outline", after="25.0")
    assert later["events"] == ["25.1", "26"]
    assert [one["address"] for one in later["changes"]] == ["40"]


async def test_the_agent_is_shown_as_it_was_with_what_became_of_it(written: Written) -> None:
    session = await a_turn(written)
    await written.thing(30, "state.b", 1)
    await written.thing(31, "tool.old", {"code": "1"})
    await written.thing(32, "file.f_1", {"path": "mine.txt", "session_id": session})
    await written.thing(33, "file.f_2", {"path": "theirs.txt", "session_id": "s_other"})
    await written.thing(34, "notepad.s_other", "theirs")
    await written.thing(40, "state.b", 2)
    await written.thing(41, "tool.old")
    await written.thing(42, "component.~0JTQsA", {"code": "x"})
    await written.thing(43, "state.a", {"v": 1})
    moment = await written.get(f"/agents/{AGENT}/moment", at="35", session_id=session)
    kinds = {one["kind"]: one for one in moment["kinds"]}
    told = {
        kind: (one["count"], [(thing["label"], thing["since"]) for thing in one["things"]])
        for kind, one in kinds.items()
        if one["things"]
    }
    assert told == {
        "state": (2, [("b", "changed"), ("a", None)]),
        "tool": (1, [("old", "removed")]),
        "component": (0, [("Да", "added")]),
        "file": (1, [("mine.txt", None)]),
    }
    assert kinds["state"]["changes"] == 1
    now = await written.get(f"/agents/{AGENT}/moment")
    assert sum(one["changes"] for one in now["kinds"]) == 0


async def test_a_thing_is_shown_before_an_event_after_it_and_now(written: Written) -> None:
    key = EntityKey(AGENT, EntityKind.STATE, "a key")
    entities = written.gateway.entities
    sequences = [
        (await entities.write(key, value, EntityWriter.user(f"w{value}"))).sequence for value in (1, 2, 3)
    ]
    path, which = f"/agents/{AGENT}/moment/thing", {"kind": "state", "name": "a key"}
    thing = await written.get(path, at=sequences[1], **which)
    assert [thing[when]["value"] for when in ("before", "after", "now")] == [1, 2, 3]
    first = await written.get(path, at=sequences[0], **which)
    assert first["before"] is None
    prompt = await written.get(path, at=sequences[0], kind="prompt", name="prompt")
    assert (prompt["after"]["version"], "agent" in prompt["after"]["value"]) == (0, True)
    refused = await written.gateway.client.get(f"/api/v1{path}", params={**which, "kind": "agent", "at": 1})
    assert refused.status_code == 422


async def test_a_trace_leads_from_what_was_said_down_to_sub_sessions(written: Written) -> None:
    session = await written.begin(await written.gateway.new_session())
    await written.event(20, "user_message", text="hi")
    await written.event(21, "turn_started", cause=20)
    await written.model_call("m1", 22, 23, number=1, usage=used(5, 2))
    await written.tool_call("m1-00", 24, 40, tool="spawn_session")
    await written.event(41, "became_idle")
    await written.event(50, "turn_started", cause=45)
    await written.model_call("m2", 51, None, number=2)
    await written.begin("s_child", parent_id=session, parent_call_id="m1-00", title="Helper")
    await written.event(25, "created")
    await written.model_call("m1", 26, 27, number=1)
    await written.tool_call("m1-00", 28, None)
    whole = await written.get(f"/sessions/{session}/trace", at="20")
    assert [(one["id"], one["parent"], one["kind"], one["state"]) for one in whole["items"]] == [
        ("20", None, "input", "done"),
        ("21", "20", "turn", "done"),
        ("22", "21", "model_call", "done"),
        ("24", "22", "tool_call", "done"),
        ("25", "24", "session", "done"),
        ("26", "25", "model_call", "done"),
        ("28", "26", "tool_call", "pending"),
    ]
    assert (whole["turn"], whole["before"], whole["after"], whole["next_cursor"]) == ("21", None, "50", None)
    assert (whole["items"][2]["tokens"], whole["items"][1]["end"]) == (7, "41")
    newest = await written.get(f"/sessions/{session}/trace")
    assert [one["id"] for one in newest["items"]] == ["50", "51"]
    assert (newest["before"], newest["items"][0]["state"]) == ("21", "running")
    first = await written.get(f"/sessions/{session}/trace", at="24", limit=2)
    assert [one["id"] for one in first["items"]] == ["20", "21", "22", "24"]
    rest = await written.get(f"/sessions/{session}/trace", at="24", cursor=first["next_cursor"])
    assert [one["id"] for one in rest["items"]] == ["25", "26", "28"]


async def test_a_session_without_turns_has_an_empty_trace(written: Written) -> None:
    session = await written.begin(await written.gateway.new_session())
    assert (await written.get(f"/sessions/{session}/trace"))["items"] == []


FILL = """
    INSERT INTO events (place, subject, session_id, agent_id, type, time, actor, body)
    SELECT n * 4096, 'ses.x', %(session)s, 'default', 'foldline.session.' || (CASE n %% 3
             WHEN 0 THEN 'tool_call_requested' WHEN 1 THEN 'call_claimed'
             ELSE 'tool_call_completed' END) || '.v1', now(), 'service',
           jsonb_build_object('call_id', 'c' || n / 3, 'tool', 'set_state')
    FROM generate_series(30, 30029) n;
"""
CALLS = """
    INSERT INTO tool_calls (session_id, call_id, position, tool, arguments, status,
                            requested_place, result_place)
    SELECT %(session)s, 'c' || n, 0, 'set_state', '{"key": "k"}', 'completed',
           n * 3 * 4096, (n * 3 + 2) * 4096
    FROM generate_series(10, 10009) n
"""
THINGS = """
    INSERT INTO events (place, subject, agent_id, type, time, actor, body)
    SELECT (n + 40000) * 4096, 'agt.default.state.k' || n %% 1000, 'default',
           'foldline.agent.entity_written.v1', now(), 'agent',
           jsonb_build_object('value', repeat('x', 500) || n)
    FROM generate_series(1, 10000) n
"""


async def test_30_000_events_open_and_10_000_changes_are_stepped_through(written: Written) -> None:
    session = await written.begin(await written.gateway.new_session())
    for sql in (FILL, CALLS):
        await written.tables.execute(sql, {"session": session})
    await written.tables.execute(THINGS, {})
    await written.tables.execute("ANALYZE")
    page = await written.get(f"/sessions/{session}/timeline", limit=200)
    outline = await written.get(f"/sessions/{session}/outline")
    assert (len(page["items"]), len(outline["events"])) == (200, 30_000)
    for stop in range(40_000, 50_000, 500):
        moment = await written.get(f"/agents/{AGENT}/moment", at=str(stop), session_id=session)
    [state] = [one for one in moment["kinds"] if one["kind"] == "state"]
    assert (state["count"], len(state["things"])) == (1000, 500)

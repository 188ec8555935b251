"""Back to an earlier event: what this session changed of the agent goes back, what others did stays."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from nats.aio.msg import Msg

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import database_subject, query_subject
from agent_contracts.questions.queries import FORK, REPLAY, SESSION_STATE, QueryAnswer
from agent_contracts.session_events.decisions import Completed, Rewound
from agent_contracts.session_events.inputs import RewindPart, RewindRequested
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.other_services import Runner
from foldline_testing.gateway.rewinding_engine import rewinding_engine
from foldline_testing.gateway.running import AGENT, RunningGateway
from foldline_testing.gateway.tables import used


class Engine:
    """A session engine for which every event is a point of rest, unless a test says otherwise."""

    def __init__(self, gateway: RunningGateway) -> None:
        self._gateway = gateway
        self.rest_sequence: int | None = None
        self.state: dict[str, Any] = {"messages": [], "queue": [], "status": "idle"}
        self.forks: list[dict[str, Any]] = []
        self.rewinding = rewinding_engine(gateway)

    async def start(self) -> None:
        for name, respond in ((SESSION_STATE, self._state), (FORK, self._fork), (REPLAY, self._replay)):
            await self._answer(name, respond)
        self.rewinding.start()
        await self._gateway.connection.flush()

    async def _answer(self, name: str, respond: Any) -> None:
        async def reply(message: Msg) -> None:
            answer = await respond(msgspec.json.decode(message.data))
            await self._gateway.connection.publish(
                message.reply, msgspec.json.encode(QueryAnswer(value=answer))
            )

        await self._gateway.connection.subscribe(query_subject(name), reply)

    async def _state(self, query: dict[str, Any]) -> dict[str, Any]:
        """Nobody needs all that was said to rewind: a long session's is more than an answer may have."""
        assert query["messages"] is not None or query["beginnings"] is not None, query
        at = query["at"] or 10**6
        return {
            "session_id": query["session_id"],
            "agent_id": AGENT,
            "title": None,
            "model": None,
            "thinking": None,
            "parent_id": None,
            "depth": 0,
            "token_limit": 5,
            "usage": used(1, 1),
            "error": None,
            "open_calls": [],
            "children": [],
            "events": 1,
            "model_calls": 0,
            "forked_from": {"session_id": "s_origin", "sequence": 3},
            "last_sequence": at,
            "failed_turn": None,
            "least_token_limit": 1,
            "rest_sequence": at if self.rest_sequence is None else min(at, self.rest_sequence),
            **self.state,
        }

    async def _fork(self, command: dict[str, Any]) -> dict[str, Any]:
        self.forks.append(command)
        return {"id": command["child_id"], "at": command["at"]}

    async def _replay(self, query: dict[str, Any]) -> dict[str, Any]:
        return {"session_id": query["session_id"], "events": 1, "decisions": 0}


@pytest.fixture
async def engine(gateway: RunningGateway) -> AsyncIterator[Engine]:
    started = Engine(gateway)
    await started.start()
    yield started
    await started.rewinding.stop()


class World:
    """A session, and the agent that it and others change."""

    def __init__(self, gateway: RunningGateway, session: str) -> None:
        self.gateway = gateway
        self.session = session
        self.entities = Entities(gateway.log, SystemClock(), event_sources.RUNNER)
        self._writes = 0

    def writer(self, session: str | None = None) -> EntityWriter:
        self._writes += 1
        actor = Actor.USER if session is None else Actor.AGENT
        return EntityWriter(f"w{self._writes}", actor, SessionId(session) if session else None, CallId("c"))

    async def writes(self, name: str, value: Any, *, by: str | None = None) -> int:
        """The session (or another) writes a state; the sequence."""
        changed = await self.entities.write(key(name), value, self.writer(by or self.session))
        assert changed.sequence is not None
        return changed.sequence

    async def writes_sql(self, sql: str, *, by: str | None = None) -> int:
        """The session (or another) writes to the database, as a runner would say it; the sequence."""
        last = await self.gateway.log.last(database_subject(AgentId(AGENT)))
        writer = self.writer(by or self.session)
        event = DatabaseWritten(sql, [], 0, "seed", 0, 0, writer.session_id, writer.call_id)
        origin = Origin(event_sources.RUNNER, Actor.AGENT, prev=last.sequence if last else 0)
        subject = database_subject(AgentId(AGENT))
        message, _ = event_message(event, subject, origin, SystemClock())
        return await self.gateway.log.append(message)

    async def last_of_database(self) -> object:
        stored = await self.gateway.log.last(database_subject(AgentId(AGENT)))
        assert stored is not None
        return decode(stored).event

    async def state(self) -> dict[str, Any]:
        return {one.key.name: one.value for one in await self.entities.list(AgentId(AGENT), EntityKind.STATE)}

    async def preview(self, to: int) -> dict[str, Any]:
        answer = await self.gateway.client.get(
            f"/api/v1/sessions/{self.session}/rewind-preview", params={"to": to}
        )
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def back(self, to: int, status: int = 200, **more: Any) -> dict[str, Any]:
        headers = {"Idempotency-Key": more.pop("key")} if "key" in more else {}
        body = {"to": to, "parts": ["agent"], **more}
        url = f"/api/v1/sessions/{self.session}:rewind"
        answer = await self.gateway.client.post(url, json=body, headers=headers)
        assert answer.status_code == status, answer.text
        done: dict[str, Any] = answer.json()
        return done


_CODE: Json = {"description": "d", "code": "return 1"}
_CALLED: Json = {"description": "d", "code": "return 1", "parameter_schema": {}}
_THEN = "2026-01-01T00:00:00Z"
FITTING: dict[EntityKind, Json] = {
    EntityKind.FILE: {
        "path": "one",
        "media_type": "text/plain",
        "size": 1,
        "blob": "0" * 64,
        "scope": "agent",
        "source": "tool",
    },
    EntityKind.PATH: {"file_id": "one"},
    EntityKind.AGENT: {"name": "n", "created_at": "2026-01-01T00:00:00Z"},
    EntityKind.TOOL: _CALLED,
    EntityKind.FUNCTION: _CALLED,
    EntityKind.LIBRARY: _CODE,
    EntityKind.COMPONENT: _CODE,
    EntityKind.SKILL: {"description": "d", "content": "c"},
    EntityKind.PLAYBOOK: {
        "description": "d",
        "workflow": [{"step_id": "s", "description": "d", "tool_name": "t", "purpose": "p"}],
    },
    EntityKind.SECRET: {"hosts": ["a.org"], "revision": 1},
    EntityKind.CALL: {"name": "f", "request": "r"},
    EntityKind.INBOX: {"source": "s", "wake_id": "1", "message": "m", "at": _THEN, "until": _THEN},
    EntityKind.REMINDER: {"session_id": "s_one", "at": _THEN, "message": "m"},
    EntityKind.SCHEDULE: {"name": "n", "task": "t", "cron": "@daily"},
}
"""A value for each kind that holds more than any JSON."""


def key(name: str, kind: EntityKind = EntityKind.STATE) -> EntityKey:
    return EntityKey(AgentId(AGENT), kind, name)


def stays(kind: str, name: str, why: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "why": why}


@pytest.fixture
async def world(gateway: RunningGateway, engine: Engine) -> World:
    return World(gateway, await gateway.new_session())


async def test_each_change_is_shown_and_undone_and_the_undoing_can_be_undone(world: World) -> None:
    await world.writes("kept", "old")
    await world.writes("deleted", {"a": [1]})
    point = await world.writes("same", True)
    await world.writes("kept", "new")
    await world.entities.delete(key("deleted"), world.writer(world.session))
    await world.writes("made", None)
    await world.writes("same", 1)
    await world.writes("there and back", 1)
    before = await world.state()
    last = await world.entities.delete(key("there and back"), world.writer(world.session))

    shown = await world.preview(point)
    found = {one["name"]: (one["before"], one["now"]) for one in shown["agent"]}
    values = {
        name: tuple(side and side["value"] for side in (before, now)) for name, (before, now) in found.items()
    }
    assert values == {
        "deleted": ({"a": [1]}, None),
        "kept": ("old", "new"),
        "made": (None, None),
        "same": (True, 1),
    }
    assert found["deleted"][1] is None
    assert found["made"][0] is None
    assert found["made"][1] is not None
    done = await world.back(point)
    assert done["rewound"] == {"state": 4}
    (told,) = [one for one in await world.gateway.stored(world.session) if one.sequence == done["sequence"]]
    decided = msgspec.json.decode(told.data, type=Rewound)
    assert (decided.to, decided.parts) == (point, ("agent",))
    assert await world.state() == {"kept": "old", "deleted": {"a": [1]}, "same": True}
    assert (await world.preview(point))["agent"] == []

    assert last.sequence is not None
    await world.back(last.sequence)
    del before["there and back"]
    assert await world.state() == before


async def test_every_kind_that_sessions_make_goes_back_and_no_other(world: World) -> None:
    point = await world.writes("first", 1)
    unwritable = {
        EntityKind.ERASED,
        EntityKind.RUN,
        EntityKind.REWIND,
        EntityKind.BISECTION,
        EntityKind.POLICY,
        EntityKind.MCP_SERVER,
        EntityKind.MCP_TOOLS,
        EntityKind.MODEL_ADAPTATIONS,
    }
    for kind in set(EntityKind) - unwritable:  # which no session may write
        name = AGENT if kind is EntityKind.AGENT else "one"
        await world.entities.write(key(name, kind), FITTING.get(kind, "v"), world.writer(world.session))
    done = await world.back(point)
    assert set(done["rewound"]) == {
        "prompt", "notes", "state", "tool", "function", "library", "component", "skill", "notepad",
        "plan", "playbook",
        "reminder", "schedule", "inbox",
    }  # fmt: skip


@pytest.mark.parametrize("other", [None, "s_other"])
async def test_what_others_changed_since_stays_unless_it_is_included(world: World, other: str | None) -> None:
    point = await world.writes("shared", "old")
    await world.writes("shared", "mine")
    await world.entities.write(key("shared"), "theirs", world.writer(other))
    await world.writes("shared", "mine again")
    (change,) = (await world.preview(point))["agent"]
    assert change["touched_by_others"]
    done = await world.back(point)
    assert (done["rewound"], done["stays"]) == ({}, [stays("state", "shared", "changed_by_others")])
    assert await world.state() == {"shared": "mine again"}
    await world.back(point, including=[{"kind": "state", "names": ["shared"]}])
    assert await world.state() == {"shared": "old"}


async def test_what_only_others_changed_is_not_touched(world: World) -> None:
    point = await world.writes("mine", 1)
    await world.writes("theirs", 1, by="s_other")
    assert (await world.preview(point))["agent"] == []
    assert (await world.back(point))["rewound"] == {}
    assert await world.state() == {"mine": 1, "theirs": 1}


async def test_somebody_who_writes_at_the_same_moment_is_not_overwritten(world: World) -> None:
    point = await world.writes("first", 1)
    for number in range(30):
        await world.writes(f"k{number}", "mine")
    theirs = (world.writes(f"k{number}", "theirs", by="s_other") for number in range(30))
    done, *_ = await asyncio.gather(world.back(point), *theirs)
    assert {value for name, value in (await world.state()).items() if name != "first"} == {"theirs"}
    assert done["rewound"].get("state", 0) + len(done["stays"]) == 30


async def test_a_repeat_with_the_same_key_writes_nothing_and_answers_the_same(world: World) -> None:
    point = await world.writes("k", "old")
    await world.writes("k", "new")
    first = await world.back(point, key="one")
    newest = await world.gateway.log.last_sequence()
    await world.writes("k", "newer", by="s_other")
    assert await world.back(point, key="one") == first
    assert await world.gateway.log.last_sequence() == newest + 1
    assert (await world.back(point - 1, 422, key="one"))["kind"] == "idempotency_mismatch"


async def test_in_the_middle_of_a_call_it_goes_to_before_it(world: World, engine: Engine) -> None:
    engine.rest_sequence = await world.writes("k", "before")
    asked = await world.writes("k", "within")
    shown = await world.preview(asked)
    assert (shown["to"], shown["target_sequence"]) == (str(asked), engine.rest_sequence)
    await world.back(asked)
    assert await world.state() == {"k": "before"}


@pytest.mark.parametrize("parts", [["conversation", "agent"], ["agent"]])
async def test_the_session_goes_back_before_the_agent_and_not_without_the_engine(
    world: World, engine: Engine, parts: list[RewindPart], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = await world.writes("k", "old")
    await world.writes("k", "new")
    engine.rewinding.decides = False
    monkeypatch.setattr("gateway.operations.rewind.session_rewinds._DECISION_S", 0.1)
    assert (await world.back(point, 503, parts=parts, key="one"))["kind"] == "unavailable"
    assert await world.state() == {"k": "new"}
    session = SessionKey(AgentId(AGENT), SessionId(world.session))
    asked = await world.gateway.log.last(session.input(type_of(RewindRequested)))
    assert asked is not None
    assert msgspec.json.decode(asked.data)["to"] == point

    await world.gateway.decided(world.session, Rewound(point, asked.sequence - 1))  # another request's
    decided = Rewound(point, asked.sequence, tuple(sorted(parts)))
    back = await world.gateway.decided(world.session, decided)
    await engine.rewinding.rewinds.follow(session, back, decided)
    done = await world.back(point, parts=parts, key="one")
    assert (done["sequence"], await world.state()) == (back, {"k": "old"})


async def test_a_closed_session_says_to_fork_it(world: World) -> None:
    await world.gateway.decided(world.session, Completed(reason="archived"))
    point = await world.writes("k", "old")
    problem = await world.back(point, 409, parts=["conversation"])
    assert problem["kind"] == "session_closed"
    assert "fork it" in problem["detail"]


async def test_what_a_closed_session_made_can_go_back(world: World) -> None:
    point = await world.writes("k", "old")
    await world.writes("k", "new")
    await world.gateway.decided(world.session, Completed(reason="archived"))
    await world.back(point)
    assert await world.state() == {"k": "old"}


async def test_the_database_goes_back_by_one_event_and_that_can_be_undone(world: World) -> None:
    first = await world.writes_sql("CREATE TABLE t (a)")
    last = await world.writes_sql("INSERT INTO t VALUES (1)")
    shown = (await world.preview(first))["database"]
    assert (shown["writes"], shown["by_others"]) == (1, 0)
    assert shown["latest"] == [
        {"sequence": last, "session_id": world.session, "sql": "INSERT INTO t VALUES (1)"}
    ]
    done = await world.back(first, parts=["database"], key="one")
    assert (done["rewound"], done["stays"]) == ({"database": 1}, [])
    assert await world.last_of_database() == DatabaseRestored(first, SessionId(world.session))
    assert await world.back(first, parts=["database"], key="one") == done
    assert (await world.preview(first))["database"] is None, "it is there already"
    assert (await world.back(first, parts=["database"], key="two"))["rewound"] == {}
    undone = await world.back(done["sequence"] - 1, parts=["database"])
    assert undone["rewound"] == {"database": 1}
    assert (await world.preview(last))["database"] is None


async def test_a_database_that_others_wrote_to_stays_unless_that_is_chosen(world: World) -> None:
    first = await world.writes_sql("CREATE TABLE t (a)")
    await world.writes_sql("INSERT INTO t VALUES (1)")
    theirs = await world.writes_sql("INSERT INTO t VALUES (2)", by="s_other")
    assert (await world.preview(first))["database"]["by_others"] == 1
    done = await world.back(first, parts=["database"])
    assert (done["rewound"], done["stays"]) == ({}, [stays("database", "database", "changed_by_others")])
    stored = await world.gateway.log.last(database_subject(AgentId(AGENT)))
    assert stored is not None
    assert stored.sequence == theirs
    done = await world.back(first, parts=["database"], including=[{"kind": "database"}])
    assert done["rewound"] == {"database": 1}
    stored = await world.gateway.log.last(database_subject(AgentId(AGENT)))
    assert stored is not None
    assert stored.envelope is not None
    assert stored.envelope.prev == theirs


async def test_an_agent_without_a_database_has_nothing_to_go_back(world: World) -> None:
    point = await world.writes("k", 1)
    assert (await world.preview(point))["database"] is None
    assert (await world.back(point, parts=["database"]))["rewound"] == {}


async def test_parts_and_kinds_that_are_none_are_refused(world: World) -> None:
    point = await world.writes("k", 1)
    for kind in ("secret", "colour"):
        problem = await world.back(point, 422, including=[{"kind": kind}])
        assert f"{kind!r} can't be rewound" in problem["detail"]
    for parts in ([], ["everything"]):
        assert (await world.back(point, 422, parts=parts))["kind"] == "invalid_request"
    assert "no event" in (await world.back(10**9, 422))["detail"]


async def test_a_live_replay_needs_a_turn_that_goes_on(world: World, engine: Engine) -> None:
    point = await world.writes("k", 1)
    url = f"/api/v1/sessions/{world.session}:replay"
    said = {"role": "assistant", "sequence": 1, "text": "bye", "tool_calls": []}
    call = {
        "call_id": "m1-00",
        "tool": "get_state",
        "arguments": {},
        "runs_on": "tools",
        "effect": "pure",
        "status": "completed",
    }
    states: list[tuple[dict[str, Any], bool]] = [
        ({"status": "idle", "messages": [], "queue": []}, False),
        ({"status": "running", "messages": [said], "queue": []}, False),
        ({"status": "idle", "messages": [], "queue": [{**said, "role": "user"}]}, True),
        ({"status": "running", "messages": [{**said, "tool_calls": [call]}], "queue": []}, True),
    ]
    for state, goes_on in states:
        engine.state = state
        before = len(engine.forks)
        answer = await world.gateway.client.post(url, json={"mode": "live", "at": point})
        assert (len(engine.forks) > before) == goes_on, answer.text
        assert ("No turn was going on" in answer.text) == (not goes_on)
    for body in ({"mode": "live"}, {"mode": "strict", "at": point}):
        assert (await world.gateway.client.post(url, json=body)).status_code == 422
    for headers in ({}, {"Idempotency-Key": "replay-1"}):
        assert (await world.gateway.client.post(url, headers=headers)).json()["decisions"] == 0


async def test_a_fork_is_told_to_the_engine_with_the_digest_of_its_key(world: World, engine: Engine) -> None:
    point = await world.writes("k", 1)
    body = {"at": point, "message": "other", "model": "openai/x", "title": "T"}
    url = f"/api/v1/sessions/{world.session}:fork"
    for headers in ({"Idempotency-Key": "one"}, {"Idempotency-Key": "one"}, {}):
        await world.gateway.client.post(url, json=body, headers=headers)
    first, second, third = engine.forks
    assert {name: first[name] for name in body} == body
    assert first == second
    assert first["request"] is not None
    assert third["request"] is None
    assert third["child_id"] != first["child_id"]


async def test_a_forks_message_comes_with_files_as_they_were_at_a_version(
    world: World, engine: Engine
) -> None:
    point = await world.writes("k", 1)
    client = world.gateway.client
    for text in (b"first", b"second"):
        form = {"session_id": str(world.session), "path": "plan.txt"}
        answer = await client.post("/api/v1/files", data=form, files=[("file", ("plan.txt", text))])
        assert answer.status_code == 201, answer.text
    [stored] = answer.json()["items"]
    url, file_id = f"/api/v1/sessions/{world.session}:fork", stored["file_id"]
    body: dict[str, Any] = {"at": point, "files": [{"file_id": file_id, "version": 1}]}
    await client.post(url, json=body)
    told = engine.forks[-1]
    assert told["message"] == ""
    [sent] = told["files"]
    assert (sent["file_id"], sent["version"], sent["path"], sent["size"]) == (file_id, 1, "plan.txt", 5)
    before = len(engine.forks)
    for wrong in ({"file_id": file_id, "version": 3}, {"file_id": "f_" + "0" * 24, "version": 1}):
        refused = await client.post(url, json=body | {"files": [body["files"][0], wrong]})
        problem = refused.json()
        assert (refused.status_code, problem["kind"], problem["path"]) == (422, "invalid_request", "/files/1")
    for wrong in ({"file_id": file_id}, {"file_id": file_id, "version": 0}):
        assert (await client.post(url, json=body | {"files": [wrong]})).status_code == 422
    assert len(engine.forks) == before


async def test_a_database_that_can_not_be_made_again_is_said_and_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Runner()
    monkeypatch.setattr(world.gateway.deps.outside.runners, "read", runner.read)
    first = await world.writes_sql("CREATE TABLE t (a)")
    last = await world.writes_sql("INSERT INTO t VALUES (1)")
    runner.exact_from = last
    shown = (await world.preview(first))["database"]
    assert f"as of event {last} and later" in shown["inexact"]
    done = await world.back(first, parts=["database"])
    assert (done["stays"], done["rewound"]) == ([stays("database", "database", "inexact")], {})
    assert isinstance(await world.last_of_database(), DatabaseWritten)
    runner.exact_from = 0
    assert (await world.preview(first))["database"]["inexact"] is None
    assert (await world.back(first, parts=["database"]))["rewound"] == {"database": 1}

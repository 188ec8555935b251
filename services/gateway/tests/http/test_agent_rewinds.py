"""A whole agent back to what it was: every kind, exactly, once, whoever writes at the same moment."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import psycopg
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import Rewind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.kinds.rewound import REWOUND_KINDS
from agent_contracts.log.address import Address
from agent_contracts.log.subjects import all_entities_of, database_subject
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import events
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.gateway.rewinding_engine import rewinding_engine
from foldline_testing.gateway.running import AGENT, RunningGateway, Start

OWNER = AgentId(AGENT)
CODE: Json = {"description": "d", "code": "return 1"}
CALLED: Json = {"description": "d", "code": "return 1", "parameter_schema": {}}
LATER = "2126-01-01T00:00:00Z"
OF_PEOPLE = (EntityKind.POLICY, EntityKind.MCP_SERVER)
"""What no session may write."""
VALUES: dict[EntityKind, Json] = {
    EntityKind.TOOL: CALLED,
    EntityKind.FUNCTION: CALLED,
    EntityKind.LIBRARY: CODE,
    EntityKind.COMPONENT: CODE,
    EntityKind.SKILL: {"description": "d", "content": "c"},
    EntityKind.PLAYBOOK: {
        "description": "d",
        "workflow": [{"step_id": "s", "description": "d", "tool_name": "t", "purpose": "p"}],
    },
    EntityKind.REMINDER: {"session_id": "s_one", "at": LATER, "message": "m"},
    EntityKind.SCHEDULE: {"name": "n", "task": "t", "cron": "@daily"},
}


def key(name: str, kind: EntityKind = EntityKind.STATE) -> EntityKey:
    return EntityKey(OWNER, kind, name)


def file(path: str, blob: str = "0", session: str | None = None) -> dict[str, Json]:
    value: dict[str, Json] = {"path": path, "media_type": "text/plain", "size": 1, "blob": blob * 64}
    value |= {"scope": "agent" if session is None else "session", "source": "tool"}
    return value if session is None else {**value, "session_id": session}


class World:
    """An agent that sessions and people change."""

    def __init__(self, gateway: RunningGateway) -> None:
        self.gateway = gateway
        self.entities = gateway.entities
        self._writes = 0

    def writer(self, session: str | None = None) -> EntityWriter:
        self._writes += 1
        actor = Actor.USER if session is None else Actor.AGENT
        return EntityWriter(f"w{self._writes}", actor, SessionId(session) if session else None, CallId("c"))

    async def write(self, one: EntityKey, value: Json, session: str | None = "s_a") -> int:
        changed = await self.entities.write(one, value, self.writer(session))
        assert changed.sequence is not None
        return changed.sequence

    async def state(self, name: str, value: Json, session: str | None = "s_a") -> int:
        return await self.write(key(name), value, session)

    async def put_file(self, file_id: str, value: dict[str, Json]) -> int:
        await self.write(key(file_id, EntityKind.FILE), value)
        place = key(f"{value.get('session_id', '')}/{value['path']}", EntityKind.PATH)
        return await self.write(place, {"file_id": file_id})

    async def digest(self, at: int | None = None) -> str:
        """A hash of everything that a rewind takes back, as of an event."""
        found = {}
        for kind in (*REWOUND_KINDS, EntityKind.PATH):
            for one in await self.entities.list(OWNER, kind, up_to=at):
                found[f"{kind}/{one.key.name}"] = one.value
        return hashlib.sha256(msgspec.json.encode(found, order="sorted")).hexdigest()

    async def post(self, path: str, body: dict[str, Json], status: int = 200, key: str = "") -> Any:
        headers = {"Idempotency-Key": key} if key else {}
        url = f"/api/v1/agents/{AGENT}{path}"
        answer = await self.gateway.client.post(url, json=body, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def rewind(self, to: int, status: int = 200, key: str = "", **more: Json) -> Any:
        return await self.post(":rewind", {"to": to, **more}, status, key)

    async def values(self) -> dict[str, Any]:
        return {one.key.name: one.value for one in await self.entities.list(OWNER, EntityKind.STATE)}


@pytest.fixture
async def world(gateway: RunningGateway) -> AsyncIterator[World]:
    engine = rewinding_engine(gateway)
    engine.start()
    yield World(gateway)
    await engine.stop()


async def test_every_kind_goes_back_exactly_and_what_is_the_sessions_stays(world: World) -> None:
    for kind in REWOUND_KINDS:
        if kind not in (EntityKind.FILE, *OF_PEOPLE):
            await world.write(key("old", kind), VALUES.get(kind, "v"))
    await world.put_file("f_moved", file("a.txt"))
    await world.put_file("f_gone", file("b.txt"))
    await world.put_file("f_session", file("mine.txt", session="s_one"))
    point = await world.write(key("s_one", EntityKind.NOTEPAD), "then")
    was = await world.digest()

    for kind in REWOUND_KINDS:
        if kind not in (EntityKind.FILE, *OF_PEOPLE):
            await world.entities.delete(key("old", kind), world.writer("s_b"))
            await world.write(key("new", kind), VALUES.get(kind, "v"), None)
    await world.put_file("f_moved", file("b.txt", "1"))
    await world.entities.delete(key("f_gone", EntityKind.FILE), world.writer())
    await world.entities.delete(key("/a.txt", EntityKind.PATH), world.writer())
    await world.put_file("f_new", file("a.txt", "2"))
    await world.put_file("f_session", file("mine.txt", "3", session="s_one"))
    await world.write(key("s_one", EntityKind.NOTEPAD), "now")
    changed = await world.digest()

    done = await world.rewind(point)
    written = [kind for kind in REWOUND_KINDS if kind not in OF_PEOPLE]
    expected = {kind.value: 2 for kind in written} | {"file": 3}
    assert (done["done"], done["rewound"], done["stays"]) == (True, expected, [])
    session_files = await world.entities.current(key("f_session", EntityKind.FILE))
    assert session_files is not None
    assert session_files.value["blob"] == "3" * 64
    await world.put_file("f_session", file("mine.txt", session="s_one"))
    assert await world.digest() == was
    notepad = await world.entities.current(key("s_one", EntityKind.NOTEPAD))
    assert notepad is not None
    assert notepad.value == "now"

    await world.rewind(done["sequence"])
    await world.put_file("f_session", file("mine.txt", "3", session="s_one"))
    assert await world.digest() == changed


async def test_a_policy_goes_back_with_the_agent(world: World) -> None:
    which = key("policy", EntityKind.POLICY)
    point = await world.write(which, {"preset": "cautious"}, None)
    await world.write(which, {"preset": "free"}, None)
    done = await world.rewind(point)
    assert done["rewound"] == {"policy": 1}
    found = await world.entities.current(which)
    assert found is not None
    assert found.value == {"preset": "cautious"}


async def test_kinds_and_single_things_can_be_chosen(world: World) -> None:
    point = await world.state("a", 1)
    await world.state("b", 1)
    for name in ("a", "b", "c"):
        await world.state(name, 2)
    await world.write(key("t", EntityKind.TOOL), CALLED)
    done = await world.rewind(point, chosen=[{"kind": "state", "names": ["a", "c"]}])
    assert done["rewound"] == {"state": 2}
    assert await world.values() == {"a": 1, "b": 2}
    await world.rewind(point, chosen=[{"kind": "tool"}])
    assert await world.entities.list(OWNER, EntityKind.TOOL) == []
    assert await world.values() == {"a": 1, "b": 2}
    problem = await world.rewind(point, 422, chosen=[{"kind": "secret"}])
    assert "'secret' can't be rewound" in problem["detail"]
    assert "There is no event" in (await world.rewind(10**9, 422))["detail"]


async def test_one_event_says_it_and_all_that_follows_carries_its_id(world: World) -> None:
    point = await world.state("a", 1)
    for number in range(700):
        await world.state(f"k{number}", number)
    before = await world.gateway.log.last_sequence()
    done = await world.rewind(point)
    assert done["sequence"] == before + 1
    written = [one async for one in events(world.gateway.log.read(all_entities_of(OWNER), after=before))]
    told = msgspec.convert(written[0].event.value, Rewind)
    assert (told.id, told.to, told.done) == (done["id"], point, False)
    assert len(written) == 702
    assert all(one.envelope.id.startswith(f"{told.id}:") for one in written[1:])
    assert len({one.envelope.id for one in written}) == 702
    assert written[-1].event.value["done"] is True


async def test_a_repeat_with_the_same_key_rewinds_once(world: World) -> None:
    point = await world.state("a", 1)
    await world.state("a", 2)
    first = await world.rewind(point, key="one")
    await world.state("a", 3)
    newest = await world.gateway.log.last_sequence()
    assert await world.rewind(point, key="one") == first
    assert await world.gateway.log.last_sequence() == newest
    assert await world.values() == {"a": 3}
    assert (await world.rewind(point + 1, 422, key="one"))["kind"] == "idempotency_mismatch"


async def test_what_is_written_at_the_same_moment_comes_before_or_stays(world: World) -> None:
    point = await world.state("first", 1)
    for number in range(60):
        await world.state(f"k{number}", "mine")
    theirs = (world.state(f"k{number}", "theirs", "s_b") for number in range(60))
    done, *wrote = await asyncio.gather(world.rewind(point), *theirs)
    values = await world.values()
    stays = {one["name"] for one in done["stays"]}
    after = {f"k{number}" for number, sequence in enumerate(wrote) if sequence > done["sequence"]}
    assert set(values) - {"first"} == after
    assert stays <= after
    assert done["done"]


async def test_two_rewinds_at_once_are_one_after_the_other(world: World) -> None:
    one = await world.state("a", 1)
    two = await world.state("a", 2)
    await world.state("a", 3)
    first, second = await asyncio.gather(world.rewind(one), world.rewind(two))
    last = one if first["sequence"] > second["sequence"] else two
    assert await world.values() == {"a": 1 if last == one else 2}
    listed = (await world.gateway.client.get(f"/api/v1/agents/{AGENT}/rewinds")).json()["items"]
    assert [one["sequence"] for one in listed] == sorted((first["sequence"], second["sequence"]))[::-1]
    assert all(one["done"] for one in listed)


async def test_an_unfinished_rewind_is_completed_once_by_whoever_finds_it(gateway: RunningGateway) -> None:
    world = World(gateway)
    point = await world.state("a", 1)
    await world.state("a", 2)
    await world.state("b", 2)
    begun = await world.write(EntityKey(OWNER, EntityKind.REWIND, AGENT), {"id": "b_cut", "to": point}, None)
    await world.state("b", "after it was begun")
    both = [rewinding_engine(gateway), rewinding_engine(gateway)]
    for engine in both:
        engine.start(after=begun - 1)

    async def completed() -> dict[str, Any] | None:
        (found,) = await rewinds(world)
        return found if found["done"] else None

    told = await eventually(completed)
    for engine in both:
        await engine.stop()
    assert await world.values() == {"a": 1, "b": "after it was begun"}
    assert (told["sequence"], told["rewound"]) == (begun, {"state": 1})
    assert told["stays"] == [{"kind": "state", "name": "b", "why": "changed_meanwhile"}]
    assert len(await world.entities.history(key("a"))) == 3


async def rewinds(world: World) -> list[dict[str, Any]]:
    answer = await world.gateway.client.get(f"/api/v1/agents/{AGENT}/rewinds")
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_times_that_have_passed_do_not_come_again(world: World) -> None:
    past = "2020-01-01T00:00:00Z"
    reminder = {"session_id": "s_one", "at": past, "message": "m"}
    task = {"name": "n", "task": "t", "at": past}
    await world.write(key("r", EntityKind.REMINDER), reminder)
    point = await world.write(key("t", EntityKind.SCHEDULE), task)
    for name, kind in (("r", EntityKind.REMINDER), ("t", EntityKind.SCHEDULE)):
        await world.entities.delete(key(name, kind), world.writer())
    await world.rewind(point)
    back = [
        await world.entities.current(key("r", EntityKind.REMINDER)),
        await world.entities.current(key("t", EntityKind.SCHEDULE)),
    ]
    assert [one and one.value.get("done", one.value.get("enabled")) for one in back] == ["missed", False]


async def test_a_thousand_things_of_ten_thousand_events_go_back_in_few_batches(world: World) -> None:
    """How long it takes is measured by `bench`; here that it is exact and that the log is asked little."""
    for number in range(1_000):
        await world.state(f"k{number}", {"n": number, "text": "x" * 50})
    point = await world.gateway.log.last_sequence()
    was = await world.digest()
    for number in range(1_000):
        await world.state(f"k{number}", number, "s_b")
    asked = 0
    request_all = world.gateway.connection.request_all

    async def counted(*given: Any, **more: Any) -> Any:
        nonlocal asked
        asked += 1
        return await request_all(*given, **more)

    world.gateway.connection.request_all = counted  # type: ignore[method-assign]
    done = await world.rewind(point)
    assert done["rewound"] == {"state": 1_000}
    assert await world.digest() == was
    assert asked <= 40, asked


async def project(world: World, tables: psycopg.AsyncConnection[Any]) -> None:
    """Write `events` as the projector would."""
    await tables.execute("DELETE FROM events")
    await tables.execute("DELETE FROM checkpoint")
    async for message in world.gateway.log.read(f"agt.{AGENT}.>"):
        assert message.envelope is not None
        await tables.execute(
            "INSERT INTO events (place, subject, agent_id, type, time, actor, body)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (
                Address(message.sequence).place,
                message.subject,
                AGENT,
                message.event_type,
                message.envelope.time,
                message.envelope.actor.value,
                message.data.decode(),
            ),
        )
    last = await world.gateway.log.last_sequence()
    await tables.execute(
        "INSERT INTO checkpoint (consumer, sequence, version) VALUES ('projector', %s, 'test')", (last,)
    )


async def test_the_preview_says_by_kind_what_would_go_back_and_who_changed_it(
    start: Start, projections: psycopg.AsyncConnection[Any], postgres_dsn: str
) -> None:
    world = World(await start(dsn=postgres_dsn))
    engine = rewinding_engine(world.gateway)
    engine.start()
    await world.state("kept", 1)
    await world.state("gone", 1)
    await world.put_file("f_1", file("a.txt"))
    await world.put_file("f_2", file("b.txt", session="s_one"))
    point = await world.write(
        key("r", EntityKind.REMINDER), {"session_id": "s_one", "at": "2020-01-01T00:00:00Z", "message": "Tea"}
    )
    await world.state("kept", 2, "s_b")
    await world.state("kept", 3, None)
    await world.state("there and back", 1)
    await world.entities.delete(key("there and back"), world.writer())
    await world.entities.delete(key("gone"), world.writer("s_b"))
    await world.write(key("made", EntityKind.TOOL), CALLED)
    await world.put_file("f_1", file("a.txt", "1"))
    await world.put_file("f_2", file("b.txt", "1", session="s_one"))
    await world.entities.delete(key("r", EntityKind.REMINDER), world.writer())
    await project(world, projections)

    shown = await world.post(":rewind-preview", {"to": point})
    things = {kind["kind"]: {one["label"]: one for one in kind["things"]} for kind in shown["kinds"]}
    assert {kind: {name: one["since"] for name, one in found.items()} for kind, found in things.items()} == {
        "state": {"gone": "removed", "kept": "changed"},
        "tool": {"made": "added"},
        "file": {"a.txt": "changed"},
        "reminder": {"Tea": "removed"},
    }
    kept = things["state"]["kept"]
    assert (kept["writes"], kept["sessions"], kept["by_people"]) == (2, ["s_b"], True)
    assert things["reminder"]["Tea"]["time_passed"]
    done = await world.rewind(point)
    assert done["rewound"] == {kind["kind"]: kind["count"] for kind in shown["kinds"]}
    await project(world, projections)
    undo = await world.post(":rewind-preview", {"to": done["sequence"]})
    assert {kind["kind"]: kind["count"] for kind in undo["kinds"]} == done["rewound"]
    await engine.stop()


async def writes_sql(world: World, sql: str, session: str) -> int:
    subject = database_subject(OWNER)
    last = await world.gateway.log.last(subject)
    event = DatabaseWritten(sql, [], 0, "seed", 0, 0, SessionId(session), CallId("c"))
    origin = Origin(event_sources.RUNNER, Actor.AGENT, prev=last.sequence if last else 0)
    message, _ = event_message(event, subject, origin, SystemClock())
    return await world.gateway.log.append(message)


async def test_the_database_goes_back_as_a_whole_and_its_undoing_too(world: World) -> None:
    first = await writes_sql(world, "CREATE TABLE a (b)", "s_a")
    await writes_sql(world, "INSERT INTO a VALUES (1)", "s_b")
    done = await world.rewind(first)
    assert done["rewound"] == {"database": 1}
    again = await world.rewind(done["sequence"])
    assert again["rewound"] == {"database": 1}
    stored = [one async for one in events(world.gateway.log.read(database_subject(OWNER)))][2:]
    assert [one.event for one in stored] == [DatabaseRestored(first), DatabaseRestored(done["sequence"])]
    assert [one.envelope.id.partition(":")[0] for one in stored] == [done["id"], again["id"]]
    kept = await world.rewind(first, chosen=[{"kind": "state"}])
    assert kept["rewound"] == {}

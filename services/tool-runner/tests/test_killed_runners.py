"""Runners that are really killed in the middle of a call, on a real log, and others that take over."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import DEFAULT_PROMPT, LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import (
    CATALOG_BUCKET,
    LOG_STREAM,
    cancel_subject,
    consumer_of,
    database_subject,
    query_subject,
)
from agent_contracts.questions.function_calls import CALL_FUNCTION, FunctionCall
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn
from agent_contracts.wakes import InboxItem
from agent_domain.catalog import Catalog
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.long_answers import ask_patiently
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.discovery import consumers_of, discover
from agent_platform.settings.shared import WorkSettings
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_platform.warm import WarmProcess, WarmProgram
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import World
from tool_runner.__main__ import main

pytestmark = pytest.mark.faults

ACK_WAIT_S = 1
RUNNER = WarmProgram(main)


@dataclass
class Runners:
    """Runner processes on one NATS account, and the file where the self-test tools leave their lines."""

    server: NatsForTest
    connection: NatsConnection
    world: World
    folder: Path
    stack: AsyncExitStack

    async def start(self, stop_at: str | None = None, nth: int = 1) -> WarmProcess:
        """Start one; with `stop_at`, one that kills itself there when it comes by for the `nth` time."""
        environment = {
            **os.environ,
            "FOLDLINE_NATS_URL": self.server.url,
            "FOLDLINE_ACK_WAIT": str(ACK_WAIT_S),
            "FOLDLINE_LOG_FORMAT": "json",
            "FOLDLINE_DATA_DIR": str(self.folder / "data"),
            "FOLDLINE_SELFTEST_TOOLS": "true",
            "FOLDLINE_SELFTEST_FILE": str(self.folder / "acts"),
        }
        if stop_at is not None:
            arm(self.folder, stop_at, nth)
            environment[STOP_DIR] = str(self.folder)
        process = await RUNNER.start(environment, self.folder)
        self.stack.push_async_callback(_end, process)
        return process

    async def killed_at(self, stop_at: str, nth: int = 1) -> None:
        """Start a runner and wait until it has killed itself at the stop point."""
        process = await self.start(stop_at, nth)
        assert await asyncio.wait_for(process.wait(), 90) == -signal.SIGKILL
        assert has_fired(self.folder, stop_at)

    async def result(self, call_id: str = "c1") -> Any:
        """The event that ends a call, once it is there."""
        recorded = await eventually(lambda: self.world.result(call_id), within=90)
        return recorded.event

    def acts(self) -> list[str]:
        """The lines that the self-test tools left."""
        file = self.folder / "acts"
        return file.read_text().splitlines() if file.exists() else []


async def _end(process: WarmProcess) -> None:
    if process.returncode is None:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 60) == 0


@pytest.fixture
async def runners(nats_server: NatsForTest, tmp_path: Path) -> AsyncIterator[Runners]:
    """Everything but the runners themselves."""
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    await ensure_consumers(connection, consumers_of(discover(), WorkSettings(ack_wait=ACK_WAIT_S)))
    async with AsyncExitStack() as stack:
        stack.push_async_callback(connection.close)
        world = World(log=JetStreamLog(connection))
        yield Runners(nats_server, connection, world, tmp_path, stack)


async def test_a_pure_call_is_run_again_and_has_one_result(runners: Runners) -> None:
    await runners.world.request("selftest_sleep", {"ms": 0}, effect=Effect.PURE)
    await runners.killed_at("runner.ran")
    await runners.start()
    event = await runners.result()
    assert isinstance(event, ToolCallCompleted)
    assert event.result["attempt"] >= 2


@pytest.mark.parametrize("stop_at", ["runner.received", "runner.ran", "runner.recorded"])
async def test_a_recorded_call_writes_once_wherever_its_runner_died(runners: Runners, stop_at: str) -> None:
    arguments: dict[str, Json] = {"key": "k", "value": "v"}
    await runners.world.request("set_state", arguments, effect=Effect.RECORDED)
    await runners.killed_at(stop_at)
    await runners.start()
    assert (await runners.result()).result == {"ok": True}
    await settled(runners)
    entities = Entities(runners.world.log, runners.world.clock, event_sources.RUNNER)
    assert len(await entities.history(EntityKey(AGENT, EntityKind.STATE, "k"))) == 1


@pytest.mark.parametrize("stop_at", ["agent_db.computed", "agent_db.appended", "runner.ran"])
async def test_a_write_to_the_database_is_made_once_and_tells_the_same_wherever_its_runner_died(
    runners: Runners, stop_at: str
) -> None:
    sql = "CREATE TABLE t AS SELECT random() AS a"
    await runners.world.request("db_sql", {"sql": sql}, effect=Effect.RECORDED)
    await runners.killed_at(stop_at)
    await runners.start()
    assert (await runners.result()).result == {"changes": 0, "last_insert_rowid": 0}
    await settled(runners)
    assert len([one async for one in runners.world.log.read(database_subject(AGENT))]) == 1


@pytest.mark.parametrize("stop_at", ["blobs.piece", "files.stored", "runner.ran"])
async def test_a_file_of_40_mb_is_the_old_or_the_new_one_wherever_its_writer_died(
    runners: Runners, stop_at: str
) -> None:
    files = Files(
        Entities(runners.world.log, runners.world.clock, event_sources.RUNNER),
        JetStreamBlobs(runners.connection),
    )
    workspace, ref = Workspace(AGENT, SESSION), FileRef(path="large.txt")
    before = b"0123456789abcdef" * 2_500_000
    await files.create(workspace, NewFile("large.txt", FileContent(before)), EntityWriter.user("u1"))
    arguments: dict[str, Json] = {"path": "large.txt", "text": "the end", "append": True}
    await runners.world.request("file_write_text", arguments, effect=Effect.RECORDED)
    await runners.killed_at(stop_at, nth=40 if stop_at == "blobs.piece" else 1)
    found = await files.find(workspace, ref)
    assert await files.read(found) == (before if found.version == 1 else before + b"the end")
    assert (found.version == 2) is (stop_at == "runner.ran")
    await runners.start()
    assert (await runners.result()).result["version"] == 2
    found = await files.find(workspace, ref)
    assert await files.read(found) == before + b"the end"


@pytest.mark.parametrize("stop_at", ["runner.received", "runner.ran", "runner.recorded"])
async def test_a_tool_is_made_once_wherever_its_runner_died(runners: Runners, stop_at: str) -> None:
    schema: dict[str, Json] = {"type": "object"}
    arguments: dict[str, Json] = {
        "name": "one",
        "description": "One.",
        "parameter_schema": schema,
        "code": "return 1",
    }
    await runners.world.request("create_tool", arguments, effect=Effect.RECORDED)
    await runners.killed_at(stop_at)
    await runners.start()
    assert (await runners.result()).result == {"name": "one", "version": 1}
    await settled(runners)
    entities = Entities(runners.world.log, runners.world.clock, event_sources.RUNNER)
    assert len(await entities.history(EntityKey(AGENT, EntityKind.TOOL, "one"))) == 1


@pytest.mark.parametrize("stop_at", ["runner.received", "runner.ran", "runner.recorded"])
async def test_an_edit_of_the_prompt_is_made_once_wherever_its_runner_died(
    runners: Runners, stop_at: str
) -> None:
    arguments: dict[str, Json] = {"operation": "append", "content": "\nBe kind."}
    await runners.world.request("edit_system_prompt", arguments, effect=Effect.RECORDED)
    await runners.killed_at(stop_at)
    await runners.start()
    assert (await runners.result()).result == {"version": 1}
    await settled(runners)
    entities = Entities(runners.world.log, runners.world.clock, event_sources.RUNNER)
    (written,) = await entities.history(EntityKey(AGENT, SYSTEM_PROMPT.kind, SYSTEM_PROMPT.name))
    assert isinstance(written.event, EntityWritten)
    assert (written.event.value, written.envelope.id) == (f"{DEFAULT_PROMPT}\nBe kind.", f"{SESSION}:c1:1")


@pytest.mark.parametrize("stop_at", ["runner.received", "runner.ran", "runner.recorded"])
async def test_an_inbox_is_emptied_once_and_told_whole_wherever_its_runner_died(
    runners: Runners, stop_at: str
) -> None:
    entities = Entities(runners.world.log, runners.world.clock, event_sources.RUNNER)
    keys = [EntityKey(AGENT, EntityKind.INBOX, name) for name in ("a", "b", "c")]

    async def leave(key: EntityKey) -> None:
        at = f"2026-01-31T12:00:00.{ord(key.name)}0Z"
        item = InboxItem("shop", key.name, f"Order {key.name}", at, "2199-01-01T00:00:00.000Z")
        await entities.write(key, msgspec.to_builtins(item), EntityWriter.user(f"left:{key.name}"))

    for key in keys:
        await leave(key)
    await runners.world.request("check_inbox", {"limit": 2}, effect=Effect.RECORDED)
    await runners.killed_at(stop_at)
    await leave(EntityKey(AGENT, EntityKind.INBOX, "0"))
    await runners.start()
    result = (await runners.result()).result
    assert ([one["message"] for one in result["items"]], result["left"]) == (["Order a", "Order b"], 1)
    await settled(runners)
    assert [len(await entities.history(key)) for key in keys] == [2, 2, 1]
    assert [one.key.name for one in await entities.list(AGENT, EntityKind.INBOX)] == ["0", "c"]


async def test_an_edit_that_is_run_again_is_not_made_onto_what_others_wrote_since(runners: Runners) -> None:
    arguments: dict[str, Json] = {"operation": "append", "content": "mine;"}
    await runners.world.request("edit_learned_notes", arguments, effect=Effect.RECORDED)
    await runners.killed_at("runner.ran")
    key = EntityKey(AGENT, LEARNED_NOTES.kind, LEARNED_NOTES.name)
    entities = Entities(runners.world.log, runners.world.clock, event_sources.RUNNER)
    await entities.write(key, "mine;theirs;", EntityWriter.user("e1"))
    await runners.start()
    assert (await runners.result()).result == {"version": 1}
    await settled(runners)
    events = [one.event for one in await entities.history(key)]
    assert [one.value for one in events if isinstance(one, EntityWritten)] == ["mine;", "mine;theirs;"]


@pytest.mark.parametrize(
    ("stop_at", "acts", "kind"),
    [
        ("runner.received", 1, None),
        ("runner.claimed", 0, ErrorKind.OUTCOME_UNKNOWN),
        ("runner.ran", 1, ErrorKind.OUTCOME_UNKNOWN),
        ("runner.recorded", 1, None),
    ],
)
async def test_an_external_call_acts_at_most_once_wherever_its_runner_died(
    runners: Runners, stop_at: str, acts: int, kind: ErrorKind | None
) -> None:
    await runners.world.request("selftest_external", {}, effect=Effect.EXTERNAL)
    await runners.killed_at(stop_at)
    await runners.start()
    event = await runners.result()
    assert (None if isinstance(event, ToolCallCompleted) else event.error.kind) == kind
    await settled(runners)
    assert len(runners.acts()) == acts


async def test_an_idempotent_call_acts_again_with_the_same_key(runners: Runners) -> None:
    await runners.world.request("selftest_external_idempotent", {}, effect=Effect.EXTERNAL_IDEMPOTENT)
    await runners.killed_at("runner.ran")
    await runners.start()
    assert (await runners.result()).result["key"] == f"{SESSION}-c1"
    assert [line.split()[0] for line in runners.acts()] == [f"{SESSION}-c1"] * 2


async def test_a_call_that_kills_every_runner_ends_all_the_same(runners: Runners) -> None:
    await runners.world.request("selftest_sleep", {"ms": 0})
    for number in range(5):
        process = await runners.start("runner.received")
        assert await asyncio.wait_for(process.wait(), 90) == -signal.SIGKILL, f"attempt {number + 1}"
    await runners.start()
    event = await runners.result()
    assert event.error.kind is ErrorKind.INTERNAL
    assert "5 times" in event.error.message


async def test_a_runner_that_is_told_to_stop_gives_back_what_it_has(runners: Runners) -> None:
    await runners.world.request("selftest_sleep", {"ms": 3_000})
    first = await runners.start()
    await eventually(lambda: delivered(runners, 1))
    first.terminate()
    assert await asyncio.wait_for(first.wait(), 60) == 0
    await runners.start()
    assert (await runners.result()).attempt == 2


async def test_a_function_in_hand_when_its_runner_is_told_to_stop_is_told_so(runners: Runners) -> None:
    code = "await state.set('begun', true); for (;;) await new Promise(r => setTimeout(r, 100))"
    made: dict[str, Json] = {"name": "f", "description": "d", "parameter_schema": {"type": "object"}}
    await runners.world.request("create_function", {**made, "code": code}, effect=Effect.RECORDED)
    first = await runners.start()
    assert (await runners.result()).result == {"name": "f", "version": 1}
    question = msgspec.json.encode(FunctionCall(AGENT, CallId("f1"), "f", {}))
    asking = asyncio.create_task(ask_patiently(runners.connection, query_subject(CALL_FUNCTION), question))
    entities = Entities(runners.world.log, runners.world.clock, event_sources.RUNNER)
    await eventually(lambda: entities.current(EntityKey(AGENT, EntityKind.STATE, "begun")), within=90)
    first.terminate()
    answer = msgspec.json.decode(await asyncio.wait_for(asking, 60), type=ToolAnswer)
    assert answer.error is not None
    assert answer.error.kind is ErrorKind.OUTCOME_UNKNOWN
    assert "stopped" in answer.error.message
    assert await asyncio.wait_for(first.wait(), 60) == 0


async def test_a_running_call_stops_when_the_engine_tells_and_has_no_result(runners: Runners) -> None:
    await runners.world.request("selftest_external", {"after_ms": 15_000}, effect=Effect.EXTERNAL)
    await runners.start()
    await eventually(lambda: some(runners.acts()))
    await runners.world.cancel("c1")
    await runners.connection.publish(cancel_subject(SESSION), b"c1")
    await settled(runners)
    assert await runners.world.result() is None
    assert len(runners.acts()) == 1


async def test_a_result_outlives_a_restart_of_nats(runners: Runners) -> None:
    await runners.world.request("selftest_external", {"after_ms": 500}, effect=Effect.EXTERNAL)
    await runners.start()
    await eventually(lambda: some(runners.acts()))
    runners.server.kill()
    await asyncio.sleep(1)  # sleeps: work
    runners.server.restart()
    assert isinstance(await runners.result(), ToolCallCompleted)
    assert len(runners.acts()) == 1


async def test_a_runner_publishes_its_tools(runners: Runners) -> None:
    await runners.start()
    catalog = Catalog(bucket(runners.connection, CATALOG_BUCKET))
    packs = await eventually(lambda: none_if_empty(catalog))
    names = {spec.name: spec for spec in packs["core"].tools}
    assert names["ask_user"].pauses
    assert names["set_state"].effect is Effect.RECORDED
    assert "selftest_external" in names


async def test_calls_of_many_sessions_are_shared_by_several_runners(runners: Runners) -> None:
    for _ in range(2):
        await runners.start()
    for number in range(40):
        await runners.world.request("selftest_sleep", {"ms": 20}, call_id=f"c{number}")
    events = [await runners.result(f"c{number}") for number in range(40)]
    assert all(isinstance(event, ToolCallCompleted) for event in events)


async def settled(runners: Runners) -> None:
    """Wait until every request was delivered and acknowledged."""
    await eventually(lambda: delivered(runners, 0), within=90)


async def delivered(runners: Runners, in_hand: int) -> bool | None:
    """True if all requests were delivered and so many of them are in hand, else None."""
    info: Any = await runners.connection.api(f"CONSUMER.INFO.{LOG_STREAM}.{consumer_of(RunsOn.TOOLS)}")
    return (info["num_pending"] == 0 and info["num_ack_pending"] == in_hand) or None


async def some(lines: list[str]) -> bool | None:
    """True if there are any, else None."""
    return bool(lines) or None


async def none_if_empty(catalog: Catalog) -> Any:
    """Every pack's catalogue, or None."""
    return await catalog.list() or None

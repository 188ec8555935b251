"""The model caller as a service: on a real log, as its own user, and killed on the way."""

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import SecretStr

from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import NewMessage, decode
from agent_contracts.log.record.session_subjects import MODEL, SessionKey
from agent_contracts.questions.generation import GENERATE, SIGN_OF_LIFE, Generate, GenerationResult
from agent_contracts.questions.queries import Delta, ModelCallQuery
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.inputs import Input
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from agent_domain.catalog import Catalog
from agent_domain.files.file import Workspace
from agent_domain.files.files import Files
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.event_message import event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.nats.users import nats_users
from agent_platform.process.clock import SystemClock
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.discovery import consumers_of, discover, rights_of
from agent_platform.settings.shared import WorkSettings
from demo_model.server import DemoModel
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.session_domain.deciding import keep_deciding
from model_caller.app import serve as serve_model_caller
from model_caller.settings import ModelCallerSettings
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.showing import RecordedModelCalls
from session_domain.sessions import FoldedSessions

AGENT = AgentId("default")
SESSION = SessionId("s_1")
KEY = SessionKey(AGENT, SESSION)
ACK_WAIT_S = 2.0
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TOOL = ToolSpec("get_state", "Read.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)
SCRIPT = {
    "pace": {"size": 4, "delay": 0.01},
    "rules": [
        {
            "when": {"user_contains": "hang"},
            "reply": {"text": "Wait", "fault": {"kind": "hang", "after_chunks": 1}},
        },
        {"reply": {"text": "Hello from the other side."}},
    ],
}


@dataclass
class World:
    """Real NATS, a demo model, and what a test needs of them."""

    server: NatsForTest
    admin: NatsConnection
    model: DemoModel
    folder: Path

    def settings(self) -> ModelCallerSettings:
        """What the supervisor would tell a service."""
        return ModelCallerSettings(
            nats_url=f"nats://127.0.0.1:{self.server.port}",
            nats_credentials=SecretStr("model:model-password"),
            ack_wait=ACK_WAIT_S,
            data_dir=self.folder,
            model="openai/demo",
            model_base_url=self.model.base_url,
            timezone="UTC",
        )

    @property
    def log(self) -> JetStreamLog:
        """The log, with all rights."""
        return JetStreamLog(self.admin)

    async def add(self, event: Input) -> None:
        """A fact from outside."""
        subject = KEY.input(type_of(event))
        message, _ = event_message(event, subject, origin_of(event, traceparent=TRACE), SystemClock())
        await self.log.append(message)

    async def begin(self, text: str = "hello") -> None:
        """A session in which the user says something."""
        await self.add(inputs.Created(agent_id=AGENT, token_limit=100_000, title="t"))
        await self.add(inputs.UserMessage(text=text))

    async def events(self) -> list[RecordedEvent[Any]]:
        """The session's stream."""
        found = self.log.read(KEY.everything)
        return [decode(m) async for m in found]

    async def first(self, *kinds: type) -> Any:
        """The first event of one of these types, or None."""
        return next((one.event for one in await self.events() if isinstance(one.event, kinds)), None)

    async def answer(self, within: float = 60) -> ModelCallCompleted | ModelCallFailed:
        """The result of the model call, once it is there."""
        kinds = (ModelCallCompleted, ModelCallFailed)
        found: ModelCallCompleted | ModelCallFailed = await eventually(
            lambda: self.first(*kinds), within=within
        )
        return found

    async def idle(self) -> ev.BecameIdle:
        """The end of the turn, once it is there."""
        found: ev.BecameIdle = await eventually(lambda: self.first(ev.BecameIdle), within=60)
        return found

    @asynccontextmanager
    async def serving(self, *, model_caller: bool = True) -> AsyncIterator[None]:
        """What decides for the session and (with `model_caller`) the model caller, as its own user."""
        tasks = [asyncio.create_task(keep_deciding(self.log, self.admin, KEY))]
        if model_caller:
            tasks.append(asyncio.create_task(serve_model_caller(self.settings())))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait_for(task, 60)

    async def start_process(self, stack: AsyncExitStack) -> Process:
        """A model caller in a process of its own."""
        settings = self.settings()
        environment = {
            **os.environ,
            "FOLDLINE_NATS_URL": str(settings.nats_url),
            "FOLDLINE_NATS_CREDENTIALS": "model:model-password",
            "FOLDLINE_MODEL": "openai/demo",
            "FOLDLINE_MODEL_BASE_URL": self.model.base_url,
            "FOLDLINE_ACK_WAIT": str(ACK_WAIT_S),
            "FOLDLINE_LOG_FORMAT": "json",
            STOP_DIR: str(self.folder),
        }
        log = stack.enter_context((self.folder / "processes.log").open("ab"))
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "model_caller", env=environment, stdout=log, stderr=log
        )
        stack.push_async_callback(_end, process)
        return process


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
        await asyncio.wait_for(process.wait(), 60)


@pytest.fixture
async def world(
    nats_servers: Callable[[list[NatsUser]], NatsForTest], tmp_path: Path
) -> AsyncIterator[World]:
    """NATS with every service's user and all streams, one published tool, a model."""
    rights = rights_of(discover())
    server = nats_servers(nats_users(rights, {name: f"{name}-password" for name in ("admin", *rights)}))
    async with DemoModel(SCRIPT) as model:
        admin = await connect(server.url_for("admin"), name="test")
        await ensure_streams(admin, StreamSettings())
        # A killed process may cost a call more than one delivery: more than usual may be lost here.
        specs = consumers_of(discover(), WorkSettings(ack_wait=ACK_WAIT_S))
        patient = [msgspec.structs.replace(spec, max_deliver=20) for spec in specs]
        await ensure_consumers(admin, patient)
        await Catalog(bucket(admin, subjects.CATALOG_BUCKET)).put(Catalogue("core", "1", [TOOL]))
        yield World(server, admin, model, tmp_path)
        await admin.close()


async def test_the_whole_of_a_message_that_does_not_fit_is_a_file(world: World) -> None:
    world.model.play({"rules": [{"reply": {"text": "fine"}}], "context_window": 8_192})
    text = "word " * 40_000
    async with world.serving():
        await world.begin(text)
        await world.idle()
    files = Files(Entities(world.log, SystemClock(), "/test"), JetStreamBlobs(world.admin))
    [file] = await files.list(Workspace(AGENT, SESSION))
    assert await files.read(file) == text.encode()
    refused = await world.answer()
    assert isinstance(refused, ModelCallFailed)
    assert refused.overflow is not None
    assert [cut.file_id for cut in refused.overflow.cuts] == [file.file_id]


async def test_a_turn_is_answered_streamed_and_can_be_shown(world: World) -> None:
    deltas: list[Delta] = []

    async def told(message: Any) -> None:
        deltas.append(msgspec.json.decode(message.data, type=Delta))

    await world.admin.subscribe(KEY.deltas, told)
    async with world.serving():
        await world.begin()
        answer = await world.answer()
        assert isinstance(answer, ModelCallCompleted)
        assert answer.text == "Hello from the other side."
        assert "".join(delta.text for delta in deltas) == answer.text
        assert (await world.idle()).reason == "answered"
    assert {(one.envelope.traceparent or "")[:35] for one in await world.events()} == {TRACE[:35]}
    [sent] = world.model.recording.requests
    assert [tool["function"]["name"] for tool in sent.body["tools"]] == ["find_tools", "call_tool"]
    assert "get_state" in str(sent.body), "which is found and called by its name"
    shown = RecordedModelCalls(
        world.log,
        FoldedSessions(world.log),
        ModelContexts(JetStreamBlobs(world.admin)),
        JetStreamBlobs(world.admin),
    )
    request = (await shown.show(KEY, ModelCallQuery(SESSION, call_id=answer.call_id)))["request"]
    assert msgspec.json.encode(request["messages"]) == msgspec.json.encode(sent.messages)
    assert msgspec.json.encode(request["tools"]) == msgspec.json.encode(sent.body["tools"])


async def test_stop_ends_a_model_that_hangs(world: World) -> None:
    async with world.serving():
        await world.begin("please hang")
        await world.model.recording.until(lambda recording: recording.in_flight == 1, timeout=60)
        await world.add(inputs.Interrupted())
        idle = await world.idle()
        assert idle.reason == "interrupted"
        assert idle.cancelled_model_call is not None
        await world.model.recording.until(lambda recording: recording.aborted == 1, timeout=60)
        answer = await world.answer()
        assert isinstance(answer, ModelCallCompleted)
        assert answer.cut == "stopped"


async def test_a_stopped_service_gives_its_call_back_to_the_next(world: World) -> None:
    async with world.serving(model_caller=False):
        await world.begin("please hang")
        async with world.serving():
            await world.model.recording.until(lambda recording: recording.in_flight == 1, timeout=60)
        await world.model.recording.until(lambda recording: recording.aborted == 1, timeout=60)
        async with world.serving():
            await world.model.recording.until(lambda recording: recording.count == 2, timeout=60)


async def test_a_request_that_cannot_be_read_as_its_session_fails_in_the_log(world: World) -> None:
    """The request's session was never created: its log is broken."""
    request = ev.ModelCallRequested(call_id=CallId("m000007"))
    subject = KEY.decision(type_of(request), MODEL)
    message, _ = event_message(request, subject, origin_of(request, prev=5), SystemClock())
    await world.log.append(NewMessage(message.subject, message.data, message.headers))
    async with world.serving():
        answer = await world.answer()
    assert isinstance(answer, ModelCallFailed)
    assert answer.kind is ModelFailure.DELIVERIES_EXHAUSTED
    assert "log_corrupt" in answer.message


_LOADED_WITHIN_S = 300.0
"""A process loads litellm before it takes a call: seconds, and over a minute on a machine with much to do."""


@pytest.mark.chaos
@pytest.mark.timeout(1800)
async def test_one_call_outlives_the_callers_that_are_killed_over_it(world: World) -> None:
    """Each loads litellm; tests/e2e/test_killed.py kills one at each of these points."""
    stops = ["model.received", "model.streaming", "model.answered", "model.recorded"]
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(world.serving(model_caller=False))
        await world.begin()
        await eventually(lambda: world.first(ev.ModelCallRequested))
        for name in stops:
            arm(world.folder, name)
            victim = await world.start_process(stack)
            assert await asyncio.wait_for(victim.wait(), _LOADED_WITHIN_S) == -signal.SIGKILL
            assert has_fired(world.folder, name)
        await world.start_process(stack)
        answer = await world.answer(within=_LOADED_WITHIN_S)
        assert isinstance(answer, ModelCallCompleted)
        assert answer.text == "Hello from the other side."
        assert answer.attempts >= min(len(stops) + 1, 4)  # each that died may have cost tokens
        await world.idle()
        await eventually(lambda: _acknowledged(world), within=_LOADED_WITHIN_S)
        results = [one for one in await world.events() if isinstance(one.event, ModelCallCompleted)]
        assert len(results) == 1


async def _acknowledged(world: World) -> bool | None:
    consumer = f"{subjects.LOG_STREAM}.{subjects.MODEL_CALLER_CONSUMER}"
    info: Any = await world.admin.api(f"CONSUMER.INFO.{consumer}")
    return (info["num_pending"] == 0 and info["num_ack_pending"] == 0) or None


async def test_a_runner_gets_a_model_s_answer_and_signs_of_life_before_it(world: World) -> None:
    runner = await connect(world.server.url_for("runner"), name="test")
    asked = Generate(AGENT, SESSION, CallId("c1"), "hello")
    try:
        async with world.serving():
            answers = await eventually(lambda: _generated(runner, asked), within=60)
    finally:
        await runner.close()
    assert answers[-1].text == "Hello from the other side."
    assert all(answer == GenerationResult() for answer in answers[:-1])


async def _generated(connection: NatsConnection, asked: Generate) -> list[GenerationResult] | None:
    """None as long as nobody serves."""
    try:
        answers = await connection.request_all(
            subjects.query_subject(GENERATE),
            msgspec.json.encode(asked),
            timeout=30,
            is_last=lambda message: message.data != SIGN_OF_LIFE,
        )
    except Transient as failure:
        if failure.kind != "no_responders":
            raise
        return None
    return [msgspec.json.decode(answer.data, type=GenerationResult) for answer in answers]

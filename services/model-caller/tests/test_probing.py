"""Probes: one a server in each interval, told of only where a server that was silent answers again."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Permanent, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.probes import ModelProbe, decode_probe
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import model_probe_due_subject, query_subject
from agent_contracts.log.timers import Timer, encode_timer
from agent_contracts.questions.queries import QueryAnswer, ServerAnswers
from agent_contracts.session_events.results import ModelFailure
from agent_platform.services.consuming.consumer import Delivery
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import Requests
from model_caller.answers.failures import ModelFault
from model_caller.calls.server_prober import ServerProber
from model_caller.choosing.target import ModelTarget
from model_caller.providers.sight import HttpSight, address_of

TARGET = ModelTarget("openai/x", "http://127.0.0.1:9/v1")
UNREACHABLE = ModelFault(ModelFailure.UNREACHABLE, "refused")
BROKEN = ModelFault(ModelFailure.OVERLOADED, "status 500")
TOLD = query_subject("model.server_answers")


class HandClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 31, 12, 0, 3, tzinfo=UTC)

    def now(self) -> datetime:
        """The time in UTC."""
        return self.time

    def new_id(self, prefix: str) -> str:
        """Nobody asks for one."""
        raise NotImplementedError


class Server:
    """A model server that a test lets answer, or not."""

    def __init__(self) -> None:
        self.there: bool | None = False
        self.probed = 0

    async def answers(self, target: ModelTarget) -> bool | None:
        """What the test said."""
        assert target == TARGET
        self.probed += 1
        return self.there


class World:
    """Model callers, one server, and the log that keeps probes and timers."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.server = Server()
        self.requests = Requests()
        self.schedule = MemoryLog()
        self.caller = self.another_caller()

    def another_caller(self) -> ServerProber:
        """As if in another process."""
        return ServerProber(self.schedule, self.requests, self.server, self.clock, interval_s=15.0)

    async def somebody_waits(self) -> None:
        """A failed turn waits for the server."""
        about = AgentId("default"), SessionId("s_1")
        timer = Timer(*about, "retry", "2026-01-31T13:00:00.000Z", CallId("m000003"), server=TARGET.server)
        await self.schedule.append(NewMessage(timer.subject, encode_timer(timer), timer.headers()))

    async def set(self) -> list[tuple[ModelProbe, str]]:
        """The probes that were set, and for when."""
        found = [m async for m in self.schedule.read("timer.probe.*")]
        due = model_probe_due_subject(TARGET.server)
        return [(decode_probe(due, m.data), m.headers["Nats-Schedule"]) for m in found]

    async def comes_due(self) -> Delivery:
        """The last probe that was set is delivered."""
        last = [m async for m in self.schedule.read("timer.probe.*")][-1]
        self.clock.time = datetime.fromisoformat(last.headers["Nats-Schedule"].removeprefix("@at "))
        due = model_probe_due_subject(TARGET.server)
        return Delivery(StoredMessage(last.sequence, due, last.data, {}), 1)


async def test_a_server_that_could_not_be_reached_is_probed_at_the_next_interval() -> None:
    world = World()
    await world.caller.failed(TARGET, UNREACHABLE)
    [(probe, due)] = await world.set()
    assert (probe.silent, due) == (True, "@at 2026-01-31T12:00:15.000Z")


async def test_any_number_of_failures_at_any_number_of_callers_set_one_probe() -> None:
    world = World()
    for caller in (world.caller, world.another_caller()):
        for seconds in (1, 2, 3):
            world.clock.time += timedelta(seconds=seconds / 2)
            await caller.failed(TARGET, UNREACHABLE)
    assert len(await world.set()) == 1


async def test_a_silent_server_is_probed_each_interval_and_told_of_once_when_it_answers() -> None:
    world = World()
    await world.caller.failed(TARGET, UNREACHABLE)
    await world.somebody_waits()
    await world.caller.handle(await world.comes_due())
    await world.another_caller().handle(await world.comes_due())
    assert [due for _, due in await world.set()] == [
        "@at 2026-01-31T12:00:15.000Z",
        "@at 2026-01-31T12:00:30.000Z",
        "@at 2026-01-31T12:00:45.000Z",
    ]
    assert world.requests.asked == []
    await world.another_caller().failed(TARGET, UNREACHABLE)
    world.server.there = True
    with capture_logs() as logs:
        await world.caller.handle(await world.comes_due())
    (told,) = [line for line in logs if line["event"] == "model.answers_again"]
    assert told["after_s"] == 42, "from the first call that failed to its answer"
    assert world.requests.asked == [(TOLD, msgspec.json.encode(ServerAnswers(TARGET.server)))]
    assert len(await world.set()) == 3


async def test_a_server_that_fails_calls_but_is_there_is_left_to_the_timers() -> None:
    """Its failures are nothing that a probe can see: asked again each interval, tries would run out."""
    world = World()
    world.server.there = True
    await world.caller.failed(TARGET, BROKEN)
    await world.somebody_waits()
    await world.caller.handle(await world.comes_due())
    assert (world.server.probed, world.requests.asked, len(await world.set())) == (1, [], 1)


async def test_a_broken_server_that_is_seen_silent_is_told_of_when_it_answers() -> None:
    world = World()
    await world.caller.failed(TARGET, BROKEN)
    await world.somebody_waits()
    await world.caller.handle(await world.comes_due())
    world.server.there = True
    await world.caller.handle(await world.comes_due())
    assert len(world.requests.asked) == 1


async def test_what_no_probe_can_help_sets_none() -> None:
    world = World()
    for fault in (
        ModelFault(ModelFailure.RATE_LIMITED, "slow down"),
        ModelFault(ModelFailure.BAD_REQUEST, "no"),
        ModelFault(ModelFailure.AUTHENTICATION, "bad key"),
    ):
        await world.caller.failed(TARGET, fault)
    assert await world.set() == []


async def test_when_nobody_waits_any_more_the_probes_end() -> None:
    world = World()
    await world.caller.failed(TARGET, UNREACHABLE)
    await world.caller.handle(await world.comes_due())
    await world.caller.handle(await world.comes_due())
    assert (world.server.probed, len(await world.set())) == (1, 2)


async def test_a_server_whose_address_nobody_knows_is_left_to_the_timers() -> None:
    world = World()
    world.server.there = None
    await world.caller.failed(TARGET, UNREACHABLE)
    await world.somebody_waits()
    await world.caller.handle(await world.comes_due())
    assert (world.requests.asked, len(await world.set())) == ([], 1)


async def test_an_engine_that_does_not_take_it_is_told_again() -> None:
    world = World()
    await world.caller.failed(TARGET, UNREACHABLE)
    await world.somebody_waits()
    world.server.there = True
    world.requests.answer = QueryAnswer(error_kind="unavailable", error="starting")
    due = await world.comes_due()
    with pytest.raises(Transient, match="starting"):
        await world.caller.handle(due)
    world.requests.answer = QueryAnswer(value=1)
    await world.caller.handle(due)
    assert len(world.requests.asked) == 2


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b'{"server": "a.b", "model": "m", "slot": 1}'])
async def test_what_is_no_probe_is_set_aside(data: bytes) -> None:
    message = StoredMessage(1, model_probe_due_subject(TARGET.server), data, {})
    with pytest.raises(Permanent):
        await World().caller.handle(Delivery(message, 1))


async def test_a_probe_of_another_server_is_set_aside() -> None:
    body = msgspec.json.encode(ModelProbe("other", "m", 1))
    with pytest.raises(Permanent, match="came due"):
        await World().caller.handle(
            Delivery(StoredMessage(1, model_probe_due_subject(TARGET.server), body, {}), 1)
        )


@pytest.fixture
async def model() -> AsyncGenerator[DemoModel]:
    async with DemoModel({"rules": [{"reply": {"text": "hello"}}]}) as served:
        yield served


async def test_a_server_that_answers_anything_is_there_and_is_asked_for_no_answer_of_a_model(
    model: DemoModel,
) -> None:
    sight = HttpSight()
    assert await sight.answers(ModelTarget("openai/x", model.base_url, "sk-x")) is True
    assert await sight.answers(ModelTarget("openai/x", f"{model.base_url}/nothing/here")) is True
    assert await sight.answers(TARGET) is False
    assert await sight.answers(ModelTarget("openai/x", "http://nothing.invalid/v1")) is False
    assert await sight.answers(ModelTarget("bedrock/some-model")) is None
    assert model.recording.count == 0


@pytest.mark.parametrize(
    ("target", "environ", "address"),
    [
        (ModelTarget("ollama_chat/x", "http://host:11434/"), {}, "http://host:11434"),
        (ModelTarget("anthropic/claude-sonnet-4-5"), {}, "https://api.anthropic.com/v1"),
        (ModelTarget("gpt-5-mini"), {}, "https://api.openai.com/v1"),
        (ModelTarget("openai/x"), {"OPENAI_BASE_URL": "http://here/v1"}, "http://here/v1"),
        (ModelTarget("groq/x"), {}, "https://api.groq.com/openai/v1"),
        (ModelTarget("no-such-model"), {}, None),
    ],
)
async def test_a_providers_address_is_that_which_calls_go_to(
    target: ModelTarget, environ: dict[str, str], address: str | None
) -> None:
    assert await address_of(target, environ) == address

"""A server has a model asked in the middle of a call: where a person allowed it, on the session's account."""

import asyncio
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.questions.generation import Generate, GenerationResult
from agent_contracts.session_events.results import ToolCallPending, Usage
from agent_contracts.tool_spec import Effect
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import SESSION, delivery, until
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.asker import asker
from foldline_testing.mcp_host.world import McpWorld
from mcp_host import limits
from mcp_host.calling import sampling

BOTH = pytest.mark.parametrize("old", [False, True], ids=["2026-07-28", "2025-11-25"])
YES = GenerationResult("yes", Usage(7, 3), model="small")


async def ready(world: McpWorld, here: Addressed, *answers: GenerationResult, **more: Any) -> ScriptedModels:
    models = world.callers = ScriptedModels(*answers)
    await world.add("asker", here.url, **{"sampling": True, **more})
    await world.accept("asker")
    return models


@BOTH
async def test_a_model_is_asked_and_counted_and_what_was_said_is_in_the_result(
    world: McpWorld, old: bool
) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        models = await ready(
            world, here, YES, GenerationResult("no", Usage(5, 1), model="small", is_cut=True)
        )
        over = await world.call("asker__sample", said="Is it\u200b so?", times=2, max_tokens=9_999)
    assert done == ["small said yes (endTurn) small said no (maxTokens)"], over
    assert over.usage == Usage(12, 4)
    assert [(one.asked, one.answered, one.input, one.output) for one in over.sampled] == [
        ("Be short.\n\nIs it\\u200b so?", "yes", 7, 3),
        ("Be short.\n\nIs it\\u200b so?", "no", 5, 1),
    ]
    assert [(one.kind, one.name) for one in over.outside] == [("mcp", "asker")]
    asked = models.asked[0]
    assert (asked.prompt, asked.system, asked.max_tokens) == ("Is it\u200b so?", "Be short.", 4096)
    assert (asked.session_id, asked.call_id) == (SESSION, over.call_id)


@BOTH
async def test_it_is_not_offered_where_nobody_allowed_it(world: McpWorld, old: bool) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        models = await ready(world, here, YES, sampling=False)
        over = await world.call("asker__sample")
        assert over.error.kind == ErrorKind.UPSTREAM, over
        assert models.asked == []
        assert done == []
        await ready(world, here, YES)
        assert (await world.call("asker__sample")).result is not None, "allowed, the next call may"
        await ready(world, here, YES, sampling=False)
        assert (await world.call("asker__sample")).error.kind == ErrorKind.UPSTREAM, "taken back"


@BOTH
async def test_a_model_that_may_call_tools_is_refused(world: McpWorld, old: bool) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        models = await ready(world, here, YES)
        over = await world.call("asker__sample_with_tools")
    said = over.result["structured"]["result"] if old else over.error.message
    assert "Tools and tasks are not offered" in said
    assert said.startswith("-32602") or not old, "by the protocol's error"
    assert models.asked == []


@BOTH
async def test_a_call_may_have_models_asked_ten_times(world: McpWorld, old: bool) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        models = await ready(world, here, *[YES] * 20)
        over = await world.call("asker__sample", times=limits.SAMPLES + 1)
    assert over.error.kind == ErrorKind.UPSTREAM, over
    assert len(models.asked) == len(over.sampled) == limits.SAMPLES
    assert over.usage == Usage(70, 30), "what was spent counts all the same"
    assert done == []


@BOTH
async def test_a_question_that_is_too_long_is_not_asked(world: McpWorld, old: bool) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        models = await ready(world, here, YES)
        over = await world.call("asker__sample", said="x" * (limits.SAMPLE_CHARACTERS + 1))
    assert "characters" in over.error.message
    assert models.asked == []


@BOTH
async def test_why_no_model_answered_is_told_to_the_person_and_not_to_the_server(
    world: McpWorld, old: bool
) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(
            world, here, GenerationResult(error_kind=ErrorKind.REJECTED, error="the cap of $5 is reached")
        )
        over = await world.call("asker__sample")
    assert over.error.kind == ErrorKind.UPSTREAM, over
    assert "No model answered" in over.error.message
    assert "$5" not in over.error.message
    assert [one.error for one in over.sampled] == ["the cap of $5 is reached"]


async def test_a_person_is_asked_with_a_model_and_what_the_model_said_is_kept_meanwhile(
    world: McpWorld,
) -> None:
    server, done = asker()
    with addressed(server) as here:
        models = await ready(world, here, YES)
        asked = await world.call("asker__sample", form=True)
        assert isinstance(asked, ToolCallPending), asked
        assert asked.usage == Usage(7, 3)
        assert len(asked.sampled) == 1
        over = await world.resumed(asked, {"action": "submit", "data": {"n": "1"}})
    assert done == ["small said yes (endTurn)"], over
    assert len(models.asked) == 1, "it was paid for once"
    assert over.usage is None


class Slow(ScriptedModels):
    """Takes its time, and knows whether it was waited for."""

    def __init__(self, seconds: float) -> None:
        super().__init__(YES)
        self.seconds = seconds
        self.began = self.left = False

    async def generate(self, asked: Generate) -> GenerationResult:
        self.began = True
        try:
            await asyncio.sleep(self.seconds)  # sleeps: work
        except asyncio.CancelledError:
            self.left = True
            raise
        return await super().generate(asked)


@BOTH
async def test_a_call_waits_for_a_model_for_longer_than_its_own_time(world: McpWorld, old: bool) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here, timeout_s=1.0)
        world.callers = Slow(1.5)
        over = await world.call("asker__sample")
    assert done == ["small said yes (endTurn)"], over


@BOTH
async def test_a_model_that_takes_too_long_is_waited_for_no_longer(
    world: McpWorld, old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLING_S", 0.3)
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        world.callers = Slow(60)
        over = await world.call("asker__sample")
    assert "paid" in over.sampled[0].error, over


@BOTH
async def test_who_presses_stop_ends_the_question_too(world: McpWorld, old: bool) -> None:
    server, _ = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        slow = world.callers = Slow(60)
        message = await world.asked("asker__sample")
        runner = world.runner()
        call = asyncio.create_task(runner.handle(delivery(message)))
        await until(lambda: slow.began, 5)
        runner.stop(SESSION, None)
        await until(lambda: slow.left, 5)
        await call


@BOTH
async def test_a_host_that_dies_meanwhile_leaves_an_unknown_outcome_and_nothing_is_paid_twice(
    world: McpWorld, old: bool
) -> None:
    server, done = asker()
    with addressed(server, old=old) as here:
        await ready(world, here)
        await world.accept("asker", read_only=True)
        slow = world.callers = Slow(60)
        message = await world.request("asker__sample", call_id="c7", effect=Effect.PURE)
        dying = asyncio.create_task(world.runner("dies").handle(delivery(message)))
        await until(lambda: slow.began, 5)
        dying.cancel()
        await asyncio.wait({dying})
        models = world.callers = ScriptedModels(YES)
        await world.runner("other").handle(delivery(message, again=True))
        over = await world.ended("c7")
        assert over.error.kind == ErrorKind.OUTCOME_UNKNOWN, over
        assert models.asked == [], "a tool that only reads is run again; one that spends isn't"
        assert done == []

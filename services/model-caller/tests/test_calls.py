"""A model call from its request to its one result."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId
from agent_contracts.log import subjects
from agent_contracts.log.record.records import Expect, NewMessage
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from agent_contracts.tool_spec import AvailableTo, Effect, RunsOn, ToolSpec
from agent_platform.services.consuming.consumer import Delivery
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import AGENT, SESSION, Conversation
from model_caller.calls.deltas import DeltaChannel, Deltas
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

SAVE = ToolSpec(
    "set_state", "Write a value.\n\nMore.", {"type": "object"}, "state", Effect.RECORDED, RunsOn.TOOLS
)
LOOK = ToolSpec("get_state", "Read a value.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)
REPORT = ToolSpec(
    "report_result",
    "End.",
    {"type": "object"},
    "sessions",
    Effect.PURE,
    RunsOn.ENGINE,
    available_to=AvailableTo.SUB_SESSIONS,
)
TOOLS = (SAVE, LOOK, REPORT)


def plain(text: str = "Hello, you.", **reply: Any) -> dict[str, Any]:
    """A model that always says this."""
    return {"rules": [{"reply": {"text": text, **reply}}], "pace": {"size": 3}}


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    """A model that asks for these calls, and says `Done.` once they are through."""
    return {"rules": [{"turns": [{"text": "Let me see.", "tool_calls": list(calls)}, {"text": "Done."}]}]}


async def completed(conversation: Conversation, index: int = -1) -> ModelCallCompleted:
    """A recorded answer."""
    result = (await conversation.answers())[index]
    assert isinstance(result, ModelCallCompleted), result
    return result


async def finish_tools(conversation: Conversation) -> None:
    """Every requested tool call gets a result, and the session goes on."""
    while asked := [c for c in (await conversation.state()).open_calls() if c.status is CallStatus.REQUESTED]:
        for call in asked:
            await conversation.add(
                results.ToolCallCompleted(call.call_id, {"ok": True}, "runner", duration_ms=1)
            )
        await conversation.settle()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - whatever the condition looks at
            await asyncio.sleep(0.005)


async def test_an_answer_is_recorded_with_all_that_is_known_of_it(talk: Talk) -> None:
    usage = {"prompt_tokens": 70, "completion_tokens": 5, "cached_tokens": 64}
    conversation, _ = await talk(plain(usage=usage))
    await conversation.say("hello")
    result = await completed(conversation)
    assert result.text == "Hello, you."
    assert result.usage == results.Usage(70, 5, 64)
    assert (result.model, result.finish_reason, result.attempts) == ("openai/demo", "stop", 1)
    assert result.provider_request_id == "req_1"
    assert result.first_token_ms is not None
    assert 0 <= result.first_token_ms <= result.latency_ms
    state = await conversation.state()
    assert (state.status, state.totals.tokens) == (Status.IDLE, 75)


async def test_an_answer_in_one_piece_has_no_first_token(talk: Talk) -> None:
    conversation, _ = await talk(plain("Yes"))
    await conversation.say("hello")
    assert (await completed(conversation)).first_token_ms is None


async def test_the_result_names_its_cause_and_its_event_is_the_agents(talk: Talk) -> None:
    conversation, _ = await talk(plain())
    await conversation.say("hello")
    recorded = [one for one in await conversation.events() if isinstance(one.event, ModelCallCompleted)]
    assert recorded[0].envelope.causation == (await conversation.request()).sequence
    assert recorded[0].envelope.actor is Actor.AGENT


@pytest.mark.parametrize("usage", [{"omit": True}, {"prompt_tokens": 0, "completion_tokens": 0}])
async def test_usage_that_the_server_does_not_tell_is_counted(talk: Talk, usage: dict[str, Any]) -> None:
    conversation, _ = await talk(plain("one two three four five six seven eight", usage=usage))
    await conversation.say("hello")
    counted = (await completed(conversation)).usage
    assert counted.counted
    assert 5 <= counted.output <= 20
    assert counted.input > 100  # the system prompt


async def test_counted_usage_covers_tool_calls(talk: Talk) -> None:
    call = {"name": "set_state", "id": "", "arguments": {"key": "k", "value": "word " * 50}}
    script = {"rules": [{"reply": {"tool_calls": [call], "usage": {"omit": True}}}]}
    conversation, _ = await talk(script, tools=TOOLS)
    await conversation.say("hello")
    assert (await completed(conversation)).usage.output > 40


async def test_what_streams_is_told_in_order_and_adds_up_to_the_answer(talk: Talk) -> None:
    text = "One 😀 two three four five six seven."
    conversation, _ = await talk(plain(text, pace={"size": 2, "delay": 0.004}))
    await conversation.say("hello")
    deltas = conversation.live.deltas
    assert "".join(delta.text for delta in deltas) == text
    assert [delta.index for delta in deltas] == list(range(len(deltas)))
    assert {(delta.session_id, delta.call_id, delta.attempt) for delta in deltas} == {
        (SESSION, (await completed(conversation)).call_id, 1)
    }
    assert 1 < len(deltas) < len(text) / 2  # streamed, but joined


async def test_the_names_of_tools_are_told_as_they_are_called(talk: Talk) -> None:
    conversation, _ = await talk(calling({"name": "get_state"}, {"name": "set_state"}), tools=TOOLS)
    await conversation.say("hello")
    assert [delta.tool for delta in conversation.live.deltas if delta.tool] == ["get_state", "set_state"]


async def test_half_a_character_waits_for_its_other_half() -> None:
    class Told:
        def __init__(self) -> None:
            self.texts: list[str] = []

        async def publish(self, subject: str, data: bytes) -> None:
            assert subject == "there"
            self.texts.append(msgspec.json.decode(data)["text"])

    told = Told()
    channel = DeltaChannel("there", SESSION, CallId("m1"))
    async with Deltas(told, channel, 1, interval_s=0) as deltas:
        deltas.text("a\ud83d")
        await until(lambda: told.texts == ["a"])
        deltas.text("\ude00b")
        await until(lambda: len(told.texts) == 2)
        deltas.text("\ud83d")
    assert told.texts == ["a", "😀b", "\ufffd"]


async def test_text_that_cannot_be_stored_is_replaced(talk: Talk) -> None:
    conversation, _ = await talk(plain("a\x00b"))
    await conversation.say("hello")
    assert (await completed(conversation)).text == "a\ufffdb"


@pytest.mark.parametrize("provider_id", ["call_1", "", None])
async def test_providers_ids_that_repeat_or_lack_confuse_nobody(talk: Talk, provider_id: str | None) -> None:
    calls = [
        {"name": name, "id": provider_id, "arguments": {"key": name}} for name in ("get_state", "set_state")
    ]
    conversation, model = await talk(calling(*calls), tools=TOOLS)
    for turn in range(3):
        await conversation.say(f"turn {turn}")
        await finish_tools(conversation)
        assert (await conversation.state()).status is Status.IDLE
    asked = [
        call
        for one in await conversation.answers()
        if isinstance(one, ModelCallCompleted)
        for call in one.tool_calls
    ]
    assert len({call.call_id for call in asked}) == len(asked) == 6
    assert [call.arguments["key"] for call in asked] == ["get_state", "set_state"] * 3
    history = model.recording.requests[-1].messages
    wanted = [call["id"] for message in history for call in message.get("tool_calls", [])]
    assert [message["tool_call_id"] for message in history if message["role"] == "tool"] == wanted
    assert len(set(wanted)) == 6


async def test_calls_that_cannot_be_run_are_errors_that_the_model_gets_to_see(talk: Talk) -> None:
    calls = (
        {"name": "set_state", "raw_arguments": '{"key": '},
        {"name": "get_stat", "arguments": {}},
        {"name": "report_result", "arguments": {}},
    )
    conversation, model = await talk(calling(*calls), tools=TOOLS)
    await conversation.say("hello")
    asked = (await completed(conversation, 0)).tool_calls
    assert [call.error.kind for call in asked if call.error] == [
        ErrorKind.MALFORMED_ARGUMENTS,
        ErrorKind.UNKNOWN_TOOL,
        ErrorKind.NOT_AVAILABLE,
    ]
    assert (await completed(conversation)).text == "Done."
    seen = [
        message["content"] for message in model.recording.requests[-1].messages if message["role"] == "tool"
    ]
    assert ["malformed_arguments" in seen[0], "get_state" in seen[1], "not_available" in seen[2]] == [
        True
    ] * 3


async def test_an_answer_that_is_in_the_log_is_not_asked_for_again(talk: Talk) -> None:
    conversation, model = await talk(plain())
    await conversation.say("hello")
    before = await conversation.log.last_sequence()
    await conversation.handle_request(2)
    assert model.recording.count == 1
    assert await conversation.log.last_sequence() == before


async def test_a_call_begun_by_a_caller_that_died_is_made_again_and_counted(talk: Talk) -> None:
    conversation, model = await talk(plain(pace={"size": 3, "delay": 0.05}))
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    first = asyncio.create_task(conversation.handle_request())
    await until(lambda: bool(conversation.live.deltas))
    first.cancel()  # what a kill leaves: deltas, and no result
    await asyncio.wait({first})
    await model.recording.until(lambda recording: recording.aborted == 1)
    assert await conversation.answers() == []
    await conversation.handle_request(2)
    result = await completed(conversation)
    assert (result.text, result.attempts) == ("Hello, you.", 2)
    told = conversation.live.deltas
    assert "".join(delta.text for delta in told if delta.attempt == told[-1].attempt) == "Hello, you."
    assert told[-1].attempt > told[0].attempt


async def test_of_two_callers_the_first_result_counts(talk: Talk) -> None:
    conversation, model = await talk(plain())
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    others = conversation.new_caller()
    request = await conversation.request()
    await asyncio.gather(
        conversation.caller.handle(Delivery(request, 1)), others.handle(Delivery(request, 2))
    )
    assert len(await conversation.answers()) == 1
    assert model.recording.count == 2


async def test_a_redelivery_to_the_caller_that_still_works_on_it_costs_nothing(talk: Talk) -> None:
    conversation, model = await talk(plain())
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    await asyncio.gather(conversation.handle_request(1), conversation.handle_request(2))
    assert len(await conversation.answers()) == 1
    assert model.recording.count == 1


async def test_a_cancellation_that_the_log_knows_nothing_of_only_delays_the_call(talk: Talk) -> None:
    conversation, model = await talk(plain(fault={"kind": "hang", "after_chunks": 1, "times": 1}))
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    request = await conversation.request()
    handling = asyncio.create_task(conversation.caller.handle(Delivery(request, 1)))
    await model.recording.until(lambda recording: recording.in_flight == 1)
    await conversation.live.publish(subjects.cancel_subject(SESSION), b"some-other-call")
    await asyncio.sleep(0)
    assert not handling.done()
    await conversation.live.publish(subjects.cancel_subject(SESSION), b"")
    with pytest.raises(Transient):
        await handling
    await conversation.caller.handle(Delivery(request, 2))
    assert (await completed(conversation)).text == "Hello, you."


async def test_a_call_that_can_never_be_made_fails_its_session_with_the_reason(talk: Talk) -> None:
    conversation, _ = await talk(plain())
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    await conversation.caller.given_up(await conversation.request(), "log_corrupt: there is a hole")
    await conversation.settle()
    [result] = await conversation.answers()
    assert isinstance(result, ModelCallFailed)
    assert result.kind is ModelFailure.DELIVERIES_EXHAUSTED
    assert "there is a hole" in result.message
    assert (await conversation.state()).status is Status.IDLE
    await conversation.caller.given_up(await conversation.request(), "again")
    assert len(await conversation.answers()) == 1


async def test_a_model_is_not_asked_for_an_agent_that_used_up_its_quota(talk: Talk) -> None:
    conversation, model = await talk(plain(), log_limit=10_000)
    await conversation.quota.count(AGENT, 10_000)
    await conversation.say("hello")
    [result] = await conversation.answers()
    assert isinstance(result, ModelCallFailed)
    assert (result.kind, result.attempts, model.recording.count) == (ModelFailure.QUOTA_EXCEEDED, 0, 0)
    assert f"Agent {AGENT} may add 9.8 KiB a day" in result.message
    assert result.retryable
    assert 0 < (result.retry_after_s or 0) <= 86_401
    assert (await conversation.state()).status is Status.IDLE


async def test_an_event_that_is_no_request_is_refused(talk: Talk) -> None:
    conversation, _ = await talk(plain())
    message = await conversation.log.get(1)
    assert message is not None
    with pytest.raises(Exception, match="not a model call request"):
        await conversation.caller.handle(Delivery(message, 1))


class LossyLog(MemoryLog):
    """Fails the first appends of results: before storing them, or after (a lost acknowledgement)."""

    def __init__(self, *, failures: int, store: bool, large: int | None = None) -> None:
        super().__init__()
        self._failures = failures
        self._stores = store
        self._large = large

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        """Append, or not."""
        if message.subject.endswith(".result") and self._failures > 0:
            self._failures -= 1
            if self._stores:
                await super().append(message, expect)
            raise Transient("the log can't be reached")
        is_result = message.subject.endswith(".result")
        if self._large is not None and is_result and len(message.data) > self._large:
            raise Rejected("too large for this log", kind="too_large")
        return await super().append(message, expect)


@pytest.mark.parametrize("store", [False, True])
async def test_an_answer_is_kept_while_the_log_is_away_and_stored_once(talk: Talk, store: bool) -> None:
    conversation, model = await talk(plain(), log=LossyLog(failures=3, store=store))
    await conversation.say("hello")
    assert (await completed(conversation)).text == "Hello, you."
    assert len(await conversation.answers()) == 1
    assert model.recording.count == 1


async def test_an_answer_that_no_message_can_hold_fails_the_call(talk: Talk) -> None:
    log = LossyLog(failures=0, store=False, large=3000)
    conversation, _ = await talk(plain("x" * 5000, pace={"size": 1000}), log=log)
    await conversation.say("hello")
    [result] = await conversation.answers()
    assert isinstance(result, ModelCallFailed)
    assert result.kind is ModelFailure.MALFORMED_ANSWER
    assert "too large for this log" in result.message

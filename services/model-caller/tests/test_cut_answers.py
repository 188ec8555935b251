"""Answers that are stopped, and answers of strange forms: what arrived is kept, and never sent on empty."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from agent_contracts.ids import CallId
from agent_contracts.log import subjects
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import CutReason, ModelCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.services.consuming.consumer import Delivery
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import QUICK, SESSION, Conversation
from foldline_testing.session_domain.shown import without_times
from model_caller.handlers import cut_by
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
SLOW = msgspec.structs.replace(QUICK, first_delay=60.0, longest_delay=60.0)
LOOK = ToolSpec("get_state", "Read a value.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)


def story(**reply: Any) -> dict[str, Any]:
    """A model that hangs in the middle of its first answer, and answers the next request."""
    hangs = {"text": "Once upon a time", "pace": {"size": 5}, "fault": {"kind": "hang", "after_chunks": 2}}
    return {
        "rules": [
            {"when": {"user_contains": ["go on", "another one", "hello?"]}, "reply": {"text": "Well."}},
            {"when": {"call": 1, "user_contains": "story"}, "reply": hangs | reply},
        ]
    }


def sent_last(model: DemoModel) -> list[Any]:
    """The messages of the last request, but the system prompt and times."""
    return without_times(model.recording.requests[-1].body["messages"][1:])


async def answer_of(conversation: Conversation, index: int = -1) -> ModelCallCompleted:
    """A recorded answer."""
    result = (await conversation.answers())[index]
    assert isinstance(result, ModelCallCompleted), result
    return result


async def stopped(
    conversation: Conversation, how: inputs.Input, heard: Callable[[Conversation], bool]
) -> None:
    """The model is asked for a story, and told to stop once this was heard of it."""
    await conversation.add(inputs.UserMessage(text="tell me a story"))
    await conversation.settle(model=False)
    handling = asyncio.create_task(conversation.handle_request())
    async with asyncio.timeout(20):
        while not heard(conversation):  # noqa: ASYNC110 - whatever was heard
            await asyncio.sleep(0.005)
        await conversation.add(how)
        await conversation.settle(model=False)
        await handling


def heard(text: str) -> Callable[[Conversation], bool]:
    return lambda conversation: "".join(delta.text for delta in conversation.live.deltas) == text


@pytest.mark.parametrize(
    ("how", "reason", "status"),
    [
        (inputs.Interrupted(), "stopped", Status.IDLE),
        (inputs.Archived(), "cancelled", Status.COMPLETED),
    ],
)
async def test_stop_breaks_the_answer_off_at_once_and_keeps_what_was_shown(
    talk: Talk, how: inputs.Input, reason: CutReason, status: Status
) -> None:
    conversation, model = await talk(story())
    await stopped(conversation, how, heard("Once upon "))
    await model.recording.until(lambda recording: recording.aborted == 1)
    answer = await answer_of(conversation)
    assert (answer.text, answer.cut, answer.finish_reason) == ("Once upon ", reason, None)
    assert answer.usage.counted
    assert answer.usage.output >= 2
    await conversation.settle()
    state = await conversation.state()
    assert (state.status, state.history[-1].text) == (status, "Once upon ")
    assert state.totals.tokens == answer.usage.input + answer.usage.output


async def test_the_next_request_shows_the_model_what_it_had_said(talk: Talk) -> None:
    conversation, model = await talk(story())
    await stopped(conversation, inputs.Interrupted(), heard("Once upon "))
    await conversation.say("no, another one")
    sent = [(m["role"], m["content"]) for m in sent_last(model)]
    assert sent == [
        ("user", "tell me a story"),
        ("assistant", "Once upon "),
        ("user", "[Foldline] The user stopped your answer here.\n\nno, another one"),
    ]
    assert (await answer_of(conversation)).text == "Well."


async def test_figures_that_came_before_stop_are_kept_and_the_rest_is_counted(talk: Talk) -> None:
    usage = {"prompt_tokens": 5_000, "completion_tokens": 400, "as_it_goes": True}
    conversation, _ = await talk(story(usage=usage))
    await stopped(conversation, inputs.Interrupted(), heard("Once upon "))
    answer = await answer_of(conversation)
    assert (answer.usage.input, answer.usage.output, answer.usage.counted) == (5_000, 200, False)


async def test_a_call_that_had_begun_is_told_and_never_run(talk: Talk) -> None:
    calls = [{"name": "get_state", "arguments": {"key": "city"}}]
    conversation, model = await talk(
        story(text="", tool_calls=calls, fault={"kind": "hang", "after_chunks": 3}), tools=(LOOK,)
    )
    await stopped(
        conversation, inputs.Interrupted(), lambda talking: any(d.tool for d in talking.live.deltas)
    )
    state = await conversation.state()
    [call] = state.messages()[-1].tool_calls
    assert (call.tool, call.status) == ("get_state", CallStatus.FAILED)
    await conversation.say("go on")
    roles = [m["role"] for m in sent_last(model)]
    assert roles == ["user", "assistant", "tool", "user"]
    assert not any(isinstance(one.event, ev.ToolCallRequested) for one in await conversation.events())


async def test_what_an_attempt_had_said_before_it_failed_is_kept_if_stop_comes_before_the_next(
    talk: Talk,
) -> None:
    fault = {"kind": "cut", "after_chunks": 2}
    conversation, _ = await talk(story(fault=fault), limits=SLOW)
    await stopped(conversation, inputs.Interrupted(), heard("Once upon "))
    assert (await answer_of(conversation)).text == "Once upon "


async def test_stop_before_the_first_token_says_nothing_and_sends_nothing_empty(talk: Talk) -> None:
    conversation, model = await talk(story(fault={"kind": "hang"}))
    await stopped(conversation, inputs.Interrupted(), lambda talking: model.recording.in_flight == 1)
    answer = await answer_of(conversation)
    assert (answer.text, answer.cut) == ("", "stopped")
    await conversation.say("go on")
    sent = sent_last(model)
    assert [m["content"] for m in sent] == ["tell me a story\n\ngo on"]


async def test_a_call_that_was_cut_off_before_anyone_took_it_is_not_made_and_its_session_goes_on(
    talk: Talk,
) -> None:
    conversation, model = await talk(story())
    await conversation.add(inputs.UserMessage(text="tell me a story"))
    await conversation.settle(model=False)
    request = await conversation.request()
    await conversation.add(inputs.Interrupted())
    await conversation.settle(model=False)
    await conversation.caller.handle(Delivery(request, 1))
    assert model.recording.count == 0
    answer = await answer_of(conversation)
    assert (answer.text, answer.cut, answer.attempts) == ("", "stopped", 0)
    await conversation.say("hello?")
    assert (await conversation.state()).history[-1].text == "Well."


async def test_a_caller_that_died_is_followed_by_one_that_says_that_nothing_is_known(talk: Talk) -> None:
    conversation, _ = await talk(story())
    await conversation.add(inputs.UserMessage(text="tell me a story"))
    await conversation.settle(model=False)
    request = await conversation.request()
    dying = asyncio.create_task(conversation.caller.handle(Delivery(request, 1)))
    async with asyncio.timeout(20):
        while not conversation.live.deltas:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    await conversation.add(inputs.Interrupted())
    await conversation.settle(model=False)
    assert await conversation.answers() == []
    await conversation.new_caller().handle(Delivery(request, 2))
    await conversation.say("hello?")
    assert (await conversation.state()).status is Status.IDLE


@pytest.mark.parametrize("told_as", ["cancel", "log"])
async def test_of_two_callers_at_one_stopped_call_one_is_recorded(talk: Talk, told_as: str) -> None:
    conversation, _ = await talk(story())
    await stopped(conversation, inputs.Interrupted(), heard("Once upon "))
    if told_as == "cancel":
        await conversation.live.publish(subjects.cancel_subject(SESSION), b"")
    await conversation.new_caller().handle(Delivery(await conversation.request(), 2))
    assert len(await conversation.answers()) == 1


async def test_a_list_of_parts_is_text(talk: Talk) -> None:
    conversation, _ = await talk(
        {"rules": [{"reply": {"text": "Hello, you.", "parts": True}}], "pace": {"size": 3}}
    )
    await conversation.say("hello")
    assert (await answer_of(conversation)).text == "Hello, you."
    assert "".join(delta.text for delta in conversation.live.deltas) == "Hello, you."


async def test_what_the_model_refuses_to_say_is_said(talk: Talk) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"refusal": "I can't help with that."}}]})
    await conversation.say("hello")
    assert (await answer_of(conversation)).text == "I can't help with that."


@pytest.mark.parametrize("reply", [{"text": ""}, {"text": " \n "}, {"fault": {"kind": "empty"}}])
async def test_an_empty_answer_fails_its_turn_and_is_not_sent_back(talk: Talk, reply: dict[str, Any]) -> None:
    rules = [{"when": {"user_contains": "hm?"}, "reply": {"text": "Well."}}, {"reply": reply}]
    conversation, model = await talk({"rules": rules})
    await conversation.say("hello")
    failed = await conversation.failure()
    assert failed is not None
    assert (failed.kind, model.recording.count) == ("empty_answer", 2)
    await conversation.say("hm?")
    assert (await conversation.state()).history[-1].text == "Well."
    assert [m["role"] for m in sent_last(model)] == ["user"]


@pytest.mark.parametrize(
    ("finish", "incomplete"),
    [("length", "length"), ("max_tokens", "length"), ("content_filter", "content_filter"), ("stop", None)],
)
async def test_how_the_provider_ended_the_answer_is_recorded(
    talk: Talk, finish: str, incomplete: str | None
) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"text": "Once upon", "finish": finish}}]})
    await conversation.say("hello")
    answer = await answer_of(conversation)
    assert (answer.text, answer.incomplete) == ("Once upon", incomplete)
    assert (await conversation.state()).history[-1].incomplete == incomplete


def test_what_ends_a_call_is_told_from_what_does_not() -> None:
    mine, other = CallId("m000003"), CallId("m000009")
    assert cut_by(mine, ev.BecameIdle("interrupted", mine)) == "stopped"
    assert cut_by(mine, inputs.Interrupted()) == "stopped"
    assert cut_by(mine, ev.Completed("archived")) == "cancelled"
    assert cut_by(mine, ev.Rewound(to=3, requested=9)) == "cancelled"
    assert cut_by(mine, ev.Rewound(to=3, requested=9, parts=("agent",))) is None
    assert cut_by(mine, ev.BecameIdle("interrupted", other)) is None
    assert cut_by(mine, inputs.UserMessage(text="and this")) is None

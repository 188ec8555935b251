"""The session's tokens run out in the middle of an answer."""

from collections.abc import Callable, Coroutine
from typing import Any

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted
from demo_model.server import DemoModel
from model_caller.testing.calling import Conversation
from session_domain.domain.state import Status

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
LONG = "a long story " * 2_000
TURNS = {"rules": [{"when": {"call": 1}, "reply": {"text": LONG}}, {"reply": {"text": "and they lived."}}]}


async def test_the_call_is_cut_off_in_mid_stream_and_what_arrived_is_kept(talk: Talk) -> None:
    conversation, _ = await talk(TURNS)
    await conversation.add(inputs.Continued(token_limit=1_500))
    await conversation.say("tell me a story")
    (answer,) = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert answer.finish_reason == "token_limit"
    assert LONG.startswith(answer.text)
    assert 0 < len(answer.text) < len(LONG) / 2
    assert answer.usage.counted
    state = await conversation.state()
    assert state.status is Status.TOKEN_LIMIT_REACHED
    assert state.totals.tokens >= 1_000


async def test_continuing_goes_on_with_what_was_said(talk: Talk) -> None:
    conversation, model = await talk(TURNS)
    await conversation.add(inputs.Continued(token_limit=600))
    await conversation.say("tell me a story")
    assert (await conversation.state()).status is Status.TOKEN_LIMIT_REACHED
    assert any(isinstance(recorded.event, ev.TokenLimitHit) for recorded in await conversation.events())
    await conversation.add(inputs.Continued(token_limit=1_000_000))
    await conversation.settle()
    state = await conversation.state()
    assert state.status is Status.IDLE
    assert state.history[-1].text == "and they lived."
    last = model.recording.requests[-1].body["messages"]
    assert last[-1]["role"] == "assistant"
    assert LONG.startswith(last[-1]["content"])


async def test_an_answer_within_the_limit_is_left_alone(talk: Talk) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"text": "short"}}]})
    await conversation.add(inputs.Continued(token_limit=50_000))
    await conversation.say("hello")
    (answer,) = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.finish_reason, answer.text) == ("stop", "short")

"""The session's tokens run out in the middle of an answer: judged by the provider's figures."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import Conversation
from session_domain.domain.state import Status

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
LONG = "".join(f"part {n} of a story " for n in range(2_600))[:52_000]
FAST = {"size": 400, "delay": 0.002}


def telling(**reply: Any) -> dict[str, Any]:
    """A model that tells a long story, and then its end."""
    first = {"when": {"call": 1}, "reply": {"text": LONG, "pace": FAST, **reply}}
    return {"rules": [first, {"reply": {"text": "and they lived."}}]}


async def told(conversation: Conversation, token_limit: int) -> ModelCallCompleted:
    """The first answer of a session with this limit."""
    await conversation.add(inputs.Continued(token_limit=token_limit))
    await conversation.say("tell me a story")
    answer = (await conversation.answers())[0]
    assert isinstance(answer, ModelCallCompleted), answer
    return answer


async def test_an_answer_that_can_not_fit_is_broken_off_and_what_arrived_is_kept(talk: Talk) -> None:
    conversation, model = await talk(telling())
    answer = await told(conversation, 1_500)
    assert (answer.cut, answer.finish_reason) == ("token_limit", None)
    assert LONG.startswith(answer.text)
    assert 0 < len(answer.text) < len(LONG)
    assert answer.usage.counted
    state = await conversation.state()
    assert state.status is Status.TOKEN_LIMIT_REACHED
    assert state.totals.tokens >= 1_500
    await model.recording.until(lambda recording: recording.aborted == 1)


async def test_figures_that_come_with_the_pieces_break_it_off_where_they_pass_the_limit(talk: Talk) -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 13_000, "as_it_goes": True}
    conversation, _ = await talk(telling(usage=usage))
    answer = await told(conversation, 2_000)
    assert answer.cut == "token_limit"
    assert not answer.usage.counted
    assert 2_000 < answer.usage.input + answer.usage.output < 2_200
    assert len(answer.text) == pytest.approx(len(LONG) / 13, rel=0.1)


@pytest.mark.parametrize("as_it_goes", [True, False])
async def test_an_answer_that_fits_by_the_providers_own_count_is_whole(talk: Talk, as_it_goes: bool) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 90, "as_it_goes": as_it_goes}
    conversation, _ = await talk(telling(usage=usage))
    answer = await told(conversation, 4_000 if not as_it_goes else 1_000)
    assert (answer.cut, answer.text) == (None, LONG)
    assert (await conversation.state()).status is Status.IDLE


async def test_an_answer_that_came_whole_is_kept_whole_though_it_passed_the_limit(talk: Talk) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 900_000}
    conversation, _ = await talk({"rules": [{"reply": {"text": "short", "usage": usage}}]})
    answer = await told(conversation, 50_000)
    assert (answer.cut, answer.finish_reason, answer.text) == (None, "stop", "short")
    await conversation.say("more")
    assert (await conversation.state()).status is Status.TOKEN_LIMIT_REACHED


async def test_continuing_goes_on_with_what_was_said(talk: Talk) -> None:
    conversation, model = await talk(telling())
    await told(conversation, 1_500)
    assert any(isinstance(recorded.event, ev.TokenLimitHit) for recorded in await conversation.events())
    await conversation.add(inputs.Continued(token_limit=1_000_000))
    await conversation.settle()
    state = await conversation.state()
    assert state.status is Status.IDLE
    assert state.history[-1].text == "and they lived."
    said, why = model.recording.requests[-1].body["messages"][-2:]
    assert said["role"] == "assistant"
    assert LONG.startswith(said["content"])
    assert (why["role"], "token limit" in why["content"]) == ("user", True)

"""A summary over a chain of models: the first one fails, the next one makes it."""

from collections.abc import Iterable

import pytest

from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import ModelCallCompleted, ModelFailure
from agent_domain.prices import Price
from foldline_testing.model_caller.calling import KEY, QUICK, SESSION, Conversation, choice_of
from foldline_testing.model_caller.servers import HEAD, Asked, OpenAI, events, refused, serving
from model_caller.providers.by_model import ByModel
from session_domain.domain.rules.compaction import SUMMARISE
from session_domain.domain.state import KEPT_MESSAGES, Status
from session_domain.replay import replay

SPEECH = OpenAI()
FIRST, SECOND = "openai/first", "openai/second"
PRICES = {FIRST: Price(1.0, 1.0), SECOND: Price(10.0, 1_000.0)}
WINDOW = 32_768
LAST = "The message after which the window is full"
FAILURES: dict[str, tuple[Iterable[bytes], ModelFailure, int]] = {
    "overload": ([refused(503, {"error": {"message": "Busy"}})], ModelFailure.OVERLOADED, 2),
    "limit": ([refused(429, {"error": {"message": "Too many requests"}})], ModelFailure.RATE_LIMITED, 1),
    "gone": ([refused(404, {"error": {"message": "No such model", "code": "model_not_found"}})],
             ModelFailure.UNKNOWN_MODEL, 1),
    "cut": ([HEAD + events(*SPEECH.text("Half a summ"))], ModelFailure.CUT_STREAM, 2),
}  # fmt: skip
"""What the first model sends, what that is, and how often it is asked."""


def says(text: str, read: int) -> list[bytes]:
    usage = SPEECH.usage(read, 10, 0)
    return [HEAD + events(*SPEECH.text(text), *SPEECH.end("stop", usage), *SPEECH.close())]


def is_summary(asked: Asked) -> bool:
    return SUMMARISE in str(asked.body["messages"][-1]["content"])


@pytest.mark.parametrize("failure", FAILURES)
async def test_the_next_model_makes_the_summary_where_the_first_fails(failure: str) -> None:
    fails, kind, times = FAILURES[failure]

    def answer(asked: Asked) -> Iterable[bytes]:
        if is_summary(asked):
            return fails if asked.body["model"] == "first" else says("What mattered.", 500)
        fills = LAST in str(asked.body["messages"][-1]["content"])
        return says("Well.", WINDOW if fills else 100)

    facts = {"/v1/models": {"data": [{"id": name, "max_model_len": WINDOW} for name in ("first", "second")]}}
    provider = ByModel(QUICK)
    async with serving(answer, facts) as (url, seen):
        conversation = Conversation(provider, choice_of(f"{FIRST}, {SECOND}", url), prices=PRICES)
        await conversation.begin()
        for number in range(KEPT_MESSAGES):
            await conversation.say(f"Message {number}")
        await conversation.say(LAST)
        await conversation.say("And now?")
        await provider.close()
    summaries = [one for one in await conversation.answers() if getattr(one, "purpose", "") == "summary"]
    [made] = summaries
    assert isinstance(made, ModelCallCompleted), made
    assert (made.text, made.model, made.attempts) == ("What mattered.", SECOND, times + 1)
    assert [(one.model, one.kind) for one in made.tried] == [(FIRST, kind)]
    assert made.usage.cost_micros == 500 * 10 + 10 * 1_000, "the price is that of the model that made it"
    asked = [one.body["model"] for one in seen if is_summary(one)]
    assert asked == ["first"] * times + ["second"]
    [shadow] = [
        one.event for one in await conversation.events() if isinstance(one.event, ev.MessagesShadowed)
    ]
    assert shadow.summary == "What mattered."
    assert "What mattered." in str(seen[-1].body["messages"]), "the next answer knows it"
    assert (await conversation.state()).status is Status.IDLE
    assert (await replay(conversation.log, KEY)).difference is None
    shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, call_id=made.call_id))
    [sent] = [one.body["messages"] for one in seen if is_summary(one) and one.body["model"] == "second"]
    assert shown["request"]["messages"] == sent

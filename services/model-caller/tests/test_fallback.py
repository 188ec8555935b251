"""A chain of models and keys: by its kind, a failure goes to the next key, to the next model, or nowhere."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from agent_domain.prices import Price
from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.servers import HEAD, Anthropic, Asked, OpenAI, events, refused, serving
from model_caller.calls.cool_downs import CoolDowns
from model_caller.providers.by_model import ByModel

ONE, TWO = "sk-one-0123456789", "sk-two-0123456789"
CHAIN = "openai/first, openai/second"
SPEECH = OpenAI()
Parts = Iterable[bytes]


def says(text: str, *more: Any, usage: Any = None) -> Parts:
    """A whole answer."""
    return [HEAD + events(*SPEECH.text(text), *more, *SPEECH.end("stop", usage), *SPEECH.close())]


def rate_limited(*headers: str) -> Parts:
    return [
        refused(429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, *headers)
    ]


FAILURES: Mapping[str, Parts] = {
    "rate limit": rate_limited(),
    "quota": [refused(429, {"error": {"message": "You have no credits", "code": "insufficient_quota"}})],
    "payment": [refused(402, {"error": {"message": "Payment required"}})],
    "key": [refused(401, {"error": {"message": "Incorrect API key"}})],
    "permission": [refused(403, {"error": {"message": "This key may not use it"}})],
    "model": [refused(404, {"error": {"message": "The model does not exist", "code": "model_not_found"}})],
    "overload": [refused(503, {"error": {"message": "The server is overloaded"}})],
    "error": [refused(500, {"error": {"message": "Something went wrong"}})],
    "cut": [HEAD + events(*SPEECH.text("Half an ans"))],
}
"""What a server sends that gives no answer."""


def key_of(asked: Asked) -> str:
    """The key of a request, as a name."""
    line = next(one for one in asked.head.splitlines() if one.lower().startswith("authorization"))
    return {ONE: "one", TWO: "two"}.get(line.rpartition(" ")[2], "none")


def counted(seen: list[Asked]) -> dict[str, int]:
    """How often each model was asked."""
    return dict(Counter(asked.body["model"] for asked in seen))


class Time:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def chat(
    parts: Callable[[Asked], Parts], chain: str = CHAIN, key: str = ONE, **more: Any
) -> AsyncIterator[tuple[Conversation, list[Asked]]]:
    """A conversation with a chain whose models are all at one server."""
    provider = ByModel(QUICK)
    async with serving(parts) as (url, seen):
        conversation = Conversation(provider, choice_of(chain, url, key), limits=QUICK, **more)
        await conversation.begin()
        try:
            yield conversation, seen
        finally:
            await provider.close()


def only(fails: Parts, *, model: str = "first") -> Callable[[Asked], Parts]:
    """A server of which one model fails."""
    return lambda asked: fails if asked.body["model"] == model else says("Well.")


@pytest.mark.parametrize(
    ("failure", "asked"),
    [("rate limit", 1), ("permission", 1), ("model", 1), ("overload", 2), ("error", 2), ("cut", 2)],
)
async def test_the_next_model_answers_where_the_first_gives_no_answer(failure: str, asked: int) -> None:
    async with chat(only(FAILURES[failure])) as (conversation, seen):
        await conversation.say("Hello")
        [answered] = await conversation.answers()
        assert isinstance(answered, ModelCallCompleted), answered
        assert (answered.text, answered.model) == ("Well.", "openai/second")
        assert counted(seen) == {"first": asked, "second": 1}
        assert answered.attempts == asked + 1
        [tried] = answered.tried
        assert (tried.model, tried.keys) == ("openai/first", 0)
        await conversation.say("Again")
        assert counted(seen) == {"first": asked, "second": 2}, "the first one cools down"


@pytest.mark.parametrize("failure", ["quota", "payment", "key"])
async def test_the_next_key_is_used_where_one_has_nothing_left_or_is_refused(failure: str) -> None:
    bad: list[str] = []

    def answer(asked: Asked) -> Parts:
        if not bad:
            bad.append(key_of(asked))
        return FAILURES[failure] if key_of(asked) in bad else says("Well.")

    async with chat(answer, CHAIN, f"{ONE},{TWO}") as (conversation, seen):
        await conversation.say("Hello")
        await conversation.say("Again")
        assert [(one.body["model"], key_of(one)) for one in seen] == [
            ("first", bad[0]),
            ("first", "one" if bad[0] == "two" else "two"),
            ("first", "one" if bad[0] == "two" else "two"),
        ]


@pytest.mark.parametrize("failure", ["quota", "payment", "key"])
async def test_another_model_is_not_asked_with_a_key_that_its_server_refused(failure: str) -> None:
    async with chat(lambda _: FAILURES[failure]) as (conversation, seen):
        await conversation.say("Hello")
        [failed] = await conversation.answers()
        assert isinstance(failed, ModelCallFailed)
        assert counted(seen) == {"first": 1}


@pytest.mark.parametrize(
    ("parts", "kind", "most"),
    [
        ([refused(400, {"error": {"message": "Invalid value: metadata"}})], ModelFailure.BAD_REQUEST, 2),
        (says(""), ModelFailure.EMPTY_ANSWER, 2),
    ],
    ids=["refused", "empty"],
)
async def test_a_request_that_is_at_fault_itself_goes_to_no_other_model(
    parts: Parts, kind: ModelFailure, most: int
) -> None:
    async with chat(only(parts)) as (conversation, seen):
        await conversation.say("Hello")
        [failed] = await conversation.answers()
        assert isinstance(failed, ModelCallFailed)
        assert (failed.kind, failed.model, failed.tried) == (kind, "openai/first", ())
        assert set(counted(seen)) == {"first"}
        assert len(seen) <= most


async def test_a_conversation_too_long_for_the_first_model_is_compacted_not_sent_elsewhere() -> None:
    long = [refused(400, {"error": {"message": "too long", "code": "context_length_exceeded"}})]
    async with chat(only(long)) as (conversation, seen):
        await conversation.say("Hello")
        failed = (await conversation.answers())[0]
        assert isinstance(failed, ModelCallFailed)
        assert failed.kind is ModelFailure.CONTEXT_LENGTH
        assert failed.overflow is not None
        assert set(counted(seen)) == {"first"}


async def test_a_refused_key_gives_way_to_the_next_which_the_event_names_without_a_character_of_it() -> None:
    bad: list[str] = []

    def answer(asked: Asked) -> Parts:
        if not bad:
            bad.append(key_of(asked))
        said = refused(401, {"error": {"message": f"Incorrect API key: {ONE} or {TWO}"}})
        return [said] if key_of(asked) in bad else says("Well.")

    async with chat(answer, "openai/first", f"{ONE}, {TWO}") as (conversation, _):
        await conversation.say("Hello")
        [answered] = await conversation.answers()
        [tried] = answered.tried
        number = {"one": 1, "two": 2}[bad[0]]
        assert (tried.kind, tried.key, tried.keys) == (ModelFailure.AUTHENTICATION, number, 2)
        assert tried.message == "its key was refused (401): “Incorrect API key: •••••• or ••••••”"
        whole = b"".join([message.data async for message in conversation.log.read(">")])
        assert b"sk-" not in whole


async def test_a_session_keeps_its_key_and_another_one_may_have_another() -> None:
    async with chat(lambda _: says("Well."), "openai/first", f"{ONE},{TWO}") as (conversation, seen):
        for text in ("one", "two", "three"):
            await conversation.say(text)
        assert len(set(map(key_of, seen))) == 1, "else its provider's cache is of no use"


async def test_keys_rotate_while_one_cools_down_for_as_long_as_its_server_says() -> None:
    limited: set[str] = set()
    time = Time()

    def answer(asked: Asked) -> Parts:
        return rate_limited("Retry-After: 90") if key_of(asked) in limited else says("Well.")

    async with chat(answer, "openai/first", f"{ONE},{TWO}", cool_downs=CoolDowns(time)) as (
        conversation,
        seen,
    ):
        await conversation.say("one")
        usual = key_of(seen[-1])
        other = "two" if usual == "one" else "one"
        limited.add(usual)
        await conversation.say("two")
        assert [key_of(one) for one in seen[1:]] == [usual, other]
        limited.clear()
        time.now += 89
        await conversation.say("three")
        assert key_of(seen[-1]) == other, "the usual one still cools down"
        time.now += 2
        await conversation.say("four")
        assert key_of(seen[-1]) == usual
        assert len(seen) == 5
    answers = await conversation.answers()
    assert [len(one.tried) for one in answers] == [0, 1, 0, 0]


async def test_where_all_cool_down_the_first_to_be_ready_is_asked_all_the_same_and_then_the_others() -> None:
    down = {"first", "second"}
    time = Time()

    def answer(asked: Asked) -> Parts:
        model = asked.body["model"]
        return FAILURES["model" if model == "first" else "overload"] if model in down else says("Well.")

    async with chat(answer, cool_downs=CoolDowns(time)) as (conversation, seen):
        await conversation.say("Hello")
        [failed] = await conversation.answers()
        assert isinstance(failed, ModelCallFailed)
        assert counted(seen) == {"first": 1, "second": 6}, "the last one is asked as patiently as ever"
        assert failed.retryable, "the turn goes on once the second model is there again"
        assert (failed.model, failed.kind) == ("openai/second", ModelFailure.OVERLOADED)
        assert [one.model for one in failed.tried] == ["openai/first", "openai/second"]
        assert "No model of the chain answered." in failed.message
        assert "openai/first: its server doesn't know it (404): “The model does not exist" in failed.message
        assert "openai/second: its server failed (503): “The server is overloaded" in failed.message
        down.remove("first")  # the person pulled the model: it isn't waited for until it has cooled down
        seen.clear()
        await conversation.say("Again")
        answered = (await conversation.answers())[-1]
        assert isinstance(answered, ModelCallCompleted)
        assert answered.model == "openai/first"
        assert counted(seen) == {"second": 2, "first": 1}


async def test_models_of_a_server_that_cannot_be_reached_are_not_all_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speech = Anthropic()
    answer = [
        HEAD + events(*speech.text("Well."), *speech.end("stop", {"output_tokens": 1}), *speech.close())
    ]
    async with serving(answer) as (there, seen):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", there)
        provider = ByModel(QUICK)
        chain = "openai/first, openai/second, anthropic/third"
        conversation = Conversation(
            provider,
            choice_of(chain, "http://127.0.0.1:9/v1", ONE),
            limits=QUICK,
            caps={"anthropic_api_key": SecretStr(TWO)},
        )
        await conversation.begin()
        await conversation.say("Hello")
        await provider.close()
    [answered] = await conversation.answers()
    assert isinstance(answered, ModelCallCompleted), answered
    assert answered.model == "anthropic/third"
    assert [(one.model, one.kind) for one in answered.tried] == [("openai/first", ModelFailure.UNREACHABLE)]
    assert answered.attempts == 3
    assert TWO in seen[0].head, "each provider gets its own key"
    assert ONE not in seen[0].head


async def test_a_chat_has_a_chain_of_its_own() -> None:
    provider = ByModel(QUICK)
    async with serving(only(FAILURES["overload"], model="mine")) as (url, seen):
        conversation = Conversation(provider, choice_of("openai/first", url, ONE), limits=QUICK)
        await conversation.begin(model="openai/mine, openai/yours")
        await conversation.say("Hello")
        await provider.close()
    [answered] = await conversation.answers()
    assert isinstance(answered, ModelCallCompleted)
    assert answered.model == "openai/yours"
    assert counted(seen) == {"mine": 2, "yours": 1}


async def test_what_a_failed_model_said_is_dropped_by_whoever_watches() -> None:
    half = [HEAD + events(*SPEECH.text("Half an ans"))]
    async with chat(only(half)) as (conversation, _):
        await conversation.say("Hello")
        [answered] = await conversation.answers()
        assert isinstance(answered, ModelCallCompleted)
        attempts = [one.attempt for one in conversation.live.deltas]
        assert attempts == sorted(attempts)
        texts: dict[int, str] = {}
        for delta in conversation.live.deltas:
            texts[delta.attempt] = texts.get(delta.attempt, "") + delta.text
        assert texts[max(texts)] == answered.text == "Well."
        [next_one] = [one.retrying for one in conversation.live.deltas if one.retrying and one.retrying.model]
        assert (next_one.model, next_one.reason) == ("openai/second", "its answer broke off")


async def test_stop_while_another_model_is_asked_keeps_what_people_saw_and_asks_nobody_else() -> None:
    async with AsyncExitStack() as stack:
        stopping: list[asyncio.Task[None]] = []

        async def stop() -> None:
            await conversation.add(inputs.Interrupted())
            await conversation.settle(model=False)

        def answer(asked: Asked) -> Parts:
            if asked.body["model"] == "first":
                return FAILURES["cut"]
            stopping.append(asyncio.create_task(stop()))
            return [HEAD, *[b": reading\n\n"] * 100_000]

        conversation, seen = await stack.enter_async_context(
            chat(answer, "openai/first, openai/second, openai/third")
        )
        await conversation.add(inputs.UserMessage(text="Hello"))
        await conversation.settle(model=False)
        await conversation.handle_request()
        await asyncio.gather(*stopping)
        [answered] = await conversation.answers()
        assert isinstance(answered, ModelCallCompleted), answered
        assert (answered.text, answered.cut) == ("Half an ans", "stopped")
        assert (answered.model, answered.tried) == ("openai/first", ())
        assert counted(seen) == {"first": 2, "second": 1}


async def test_each_attempt_is_paid_at_the_price_of_its_model_and_settled_once() -> None:
    usage = SPEECH.usage(100, 10, 0)
    prices = {"openai/first": Price(1.0, 1.0), "openai/second": Price(1_000.0, 1_000.0)}

    def answer(asked: Asked) -> Parts:
        return FAILURES["overload"] if asked.body["model"] == "first" else says("Well.", usage=usage)

    async with chat(answer, prices=prices, caps={"total_cost_limit": 1_000.0}) as (conversation, seen):
        await conversation.say("Hello")
        [answered] = await conversation.answers()
        assert isinstance(answered, ModelCallCompleted)
        assert counted(seen) == {"first": 2, "second": 1}
        assert answered.usage.cost_micros == 110 * 1_000
        await conversation.budgets.flush()
        ledger, _ = await conversation.budgets.read()
        assert ledger.held == {}
        assert ledger.all.total.micros == 110 * 1_000
        assert ledger.all.total.tokens == 110


async def test_a_budget_that_is_used_up_goes_to_no_other_model() -> None:
    prices = {"openai/first": Price(1_000.0, 1_000.0), "openai/second": Price(0.0, 0.0)}
    async with chat(lambda _: says("Well."), prices=prices, caps={"total_cost_limit": 0.000001}) as (
        conversation,
        seen,
    ):
        await conversation.say("Hello")
        [failed] = await conversation.answers()
        assert isinstance(failed, ModelCallFailed)
        assert (failed.kind, failed.model, failed.tried) == (ModelFailure.BUDGET, "openai/first", ())
        assert seen == []


async def test_what_one_model_thought_goes_back_to_it_alone() -> None:
    signed = {"type": "reasoning.text", "index": 0, "format": "x", "text": "hm", "signature": "by-first"}
    down: set[str] = set()
    time = Time()

    def answer(asked: Asked) -> Parts:
        model = asked.body["model"]
        if model in down:
            return FAILURES["overload"]
        if model == "second":
            return says("Instead.")
        thought = {"choices": [{"index": 0, "delta": {"reasoning_details": [signed]}}]}
        return [HEAD + events(thought, *SPEECH.text("Well."), *SPEECH.end("stop"), *SPEECH.close())]

    async with chat(answer, cool_downs=CoolDowns(time)) as (conversation, seen):
        await conversation.say("one")
        down.add("first")
        await conversation.say("two")
        down.clear()
        time.now += 3_600
        await conversation.say("three")
    answers = await conversation.answers()
    assert [one.model for one in answers] == ["openai/first", "openai/second", "openai/first"]
    sent = [(asked.body["model"], "by-first" in json.dumps(asked.body["messages"])) for asked in seen]
    assert sent == [("first", False), ("first", True), ("first", True), ("second", False), ("first", True)]

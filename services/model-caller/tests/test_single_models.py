"""Two models of one provider at two servers, each with its own key and window."""

from pydantic import SecretStr

from agent_contracts.session_events.results import ModelCallCompleted
from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.servers import refused, serving
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.providers.by_model import ByModel

ONE, TWO = "sk-one-0123456789", "sk-two-0123456789"
FULL = refused(429, {"error": {"message": "Too many requests"}})


async def test_the_next_model_is_asked_at_its_own_server_with_its_own_key() -> None:
    way = Way(*WAYS["openai"])
    provider = ByModel(QUICK)
    async with (
        serving([FULL]) as (first, asked_first),
        serving([way.says(way.speech.text("Well."))]) as (
            second,
            asked_second,
        ),
    ):
        conversation = Conversation(
            provider,
            choice_of("openai/one, openai/two", first, f"{ONE}, openai/two={TWO}"),
            caps={"model_servers": f"openai/two={second}", "model_context_window": "8192, openai/two=20000"},
        )
        await conversation.begin()
        await conversation.say("Hello")
        await provider.close()
    [answered] = await conversation.answers()
    assert isinstance(answered, ModelCallCompleted), answered
    assert (answered.model, answered.context_window) == ("openai/two", 20_000)
    assert [one.model for one in answered.tried] == ["openai/one"]
    assert [one.head.count(TWO) + 2 * one.head.count(ONE) for one in asked_first] == [2], "only its own key"
    assert [one.head.count(TWO) + 2 * one.head.count(ONE) for one in asked_second] == [1]


async def test_a_server_of_a_single_model_gets_no_key_of_another() -> None:
    way = Way(*WAYS["openai"])
    provider = ByModel(QUICK)
    async with serving([way.says(way.speech.text("Well."))]) as (url, asked):
        conversation = Conversation(
            provider,
            choice_of("openai/one, openai/two", "http://127.0.0.1:9/v1", ONE),
            caps={"model_servers": f"openai/two={url}", "openai_api_key": SecretStr(TWO)},
        )
        await conversation.begin()
        await conversation.say("Hello")
        await provider.close()
    assert len(asked) == 1, "another server of the same provider may be there where the first is not"
    assert ONE not in asked[0].head
    assert TWO not in asked[0].head

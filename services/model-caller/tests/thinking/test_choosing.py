"""How much a model thinks: what is sent for it, over each interface."""

from typing import Any

import pytest

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.session_events import inputs
from agent_contracts.thinking_choice import ThinkingChoice
from agent_domain.personal.values import checked
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.model_caller.calling import AGENT, choice_of, settings_of
from foldline_testing.model_caller.servers import refused
from foldline_testing.model_caller.ways import Way
from model_caller.calls.thinking_options import chosen, thinking_options
from model_caller.choosing.target import ModelTarget
from model_caller.providers.anthropic_request import body_of
from model_caller.providers.interfaces import INTERFACES
from session_domain.model_requests.request import ModelRequest

USER = {"role": "user", "content": "hello"}
OPENAI = pytest.mark.parametrize("way", ["openai"], indirect=True)
ANTHROPIC = pytest.mark.parametrize("way", ["anthropic"], indirect=True)


def called(call_id: str) -> list[dict[str, Any]]:
    function = {"name": "look", "arguments": "{}"}
    call = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": "x"},
    ]


def budget(n: int) -> dict[str, Any]:
    return {"thinking": {"type": "enabled", "budget_tokens": n}}


@pytest.mark.parametrize(
    ("choice", "interface", "options"),
    [
        (ThinkingChoice(), "openai", {}),
        (ThinkingChoice(), "anthropic", {}),
        (ThinkingChoice("high"), "openai", {"reasoning_effort": "high"}),
        (ThinkingChoice("none"), "openai", {"reasoning_effort": "none"}),
        (ThinkingChoice("none"), "anthropic", {}),
        (ThinkingChoice("low"), "anthropic", budget(2_048)),
        (ThinkingChoice("low", 5_000), "anthropic", budget(5_000)),
        (ThinkingChoice(None, 5_000), "openai", {}),
        (ThinkingChoice(None, 5_000), "litellm", budget(5_000)),
    ],
)
def test_each_interface_has_its_own_word_for_it(
    choice: ThinkingChoice, interface: str, options: dict[str, Any]
) -> None:
    assert thinking_options(choice, INTERFACES[interface].thinking) == options


@OPENAI
async def test_nothing_is_sent_where_nothing_is_chosen(way: Way) -> None:
    async with way.chat([way.says(way.speech.text("Hi."))]) as (conversation, seen):
        await conversation.say("hello")
    assert not {"reasoning_effort", "thinking"} & seen[0].body.keys()


@OPENAI
async def test_the_effort_of_the_settings_is_sent(way: Way) -> None:
    more = {"thinking_effort": "low"}
    async with way.chat([way.says(way.speech.text("Hi."))], caps=more) as (conversation, seen):
        await conversation.say("hello")
    assert seen[0].body["reasoning_effort"] == "low"


@OPENAI
async def test_a_chat_that_chooses_anew_is_sent_so_from_the_next_call_on(way: Way) -> None:
    parts = [way.says(way.speech.text("Hi."))] * 3
    async with way.chat(parts, caps={"thinking_effort": "low"}) as (conversation, seen):
        for choice in (None, ThinkingChoice("high"), None):
            await conversation.add(inputs.ThinkingChanged(choice))
            await conversation.say("hello")
    assert [one.body["reasoning_effort"] for one in seen] == ["low", "high", "low"]


@ANTHROPIC
async def test_the_budget_of_the_settings_is_sent(way: Way) -> None:
    more = {"thinking_budget": 2_000}
    async with way.chat([way.says(way.speech.text("Hi."))], caps=more) as (conversation, seen):
        await conversation.say("hello")
    assert seen[0].body["thinking"] == budget(2_000)["thinking"]


@OPENAI
async def test_an_effort_that_a_server_does_not_know_is_left_out(way: Way) -> None:
    def parts(asked: Any) -> list[bytes]:
        if "reasoning_effort" in asked.body:
            return [refused(400, {"error": {"message": "Unsupported parameter: 'reasoning_effort'"}})]
        return [way.says(way.speech.text("Hi."))]

    async with way.chat(parts, caps={"thinking_effort": "low"}) as (conversation, seen):
        await conversation.say("hello")
        await conversation.say("and now?")
    assert len(seen) == 3


def test_a_budget_leaves_room_for_the_answer() -> None:
    def sent(longest: int) -> Any:
        return body_of(ModelRequest("x", [USER], [], budget(8_000)), "claude-x", longest).get("thinking")

    assert sent(32_000) == budget(8_000)["thinking"]
    assert sent(4_096) == budget(3_072)["thinking"]
    assert sent(1_500) is None


def test_a_turn_that_began_without_thinking_goes_on_without() -> None:
    request = ModelRequest("x", [USER, *called("c1")], [], budget(2_000))
    assert "thinking" not in body_of(request, "claude-x", 32_000)


@pytest.mark.parametrize("choice", [ThinkingChoice(None, 10), ThinkingChoice(None, 10**9)])
def test_what_no_model_takes_is_refused(choice: ThinkingChoice) -> None:
    with pytest.raises(Rejected):
        choice.check()


def test_a_chat_counts_before_its_model_and_a_model_before_all() -> None:
    by_model = "openai/o3*=high, anthropic/*=8192, openai/o3-mini=low"
    settings = settings_of(choice_of("openai/x"), thinking_effort="low", model_thinking=by_model)

    def counts(model: str, of_chat: ThinkingChoice | None = None) -> ThinkingChoice:
        return chosen(settings, of_chat, ModelTarget(model))

    assert counts("openai/x") == counts("openai/x", ThinkingChoice()) == ThinkingChoice("low")
    assert counts("openai/o3-mini") == ThinkingChoice("high"), "the first that fits"
    assert counts("anthropic/claude-x") == ThinkingChoice(budget=8_192)
    assert counts("openai/o3", ThinkingChoice(budget=5_000)) == ThinkingChoice(budget=5_000)


@pytest.mark.parametrize(
    "text", ["openai/x", "openai/x=", "=high", "openai/x=a-lot", "m=7", "m=9999999", "m=high,", "m=²", ","]
)
def test_a_text_that_says_nothing_of_models_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(Rejected, match="model_thinking can't be set to this") as refused:
        checked("model_thinking", text)
    assert refused.value.path == "/values/model_thinking"


@OPENAI
async def test_what_is_said_of_the_model_counts_before_what_is_said_of_the_agent(way: Way) -> None:
    said = way.says(way.speech.text("Hi."))
    async with way.chat([said, said]) as (conversation, seen):
        for agent, name, value in [
            (AGENT, "thinking_effort", "high"),
            (SYSTEM_AGENT, "model_thinking", f"{way.model}=minimal"),
        ]:
            key = EntityKey(agent, EntityKind.SETTING, name)
            await conversation.entities.write(key, value, EntityWriter.user(name))
            await conversation.say("hello")
    assert [one.body["reasoning_effort"] for one in seen] == ["high", "minimal"]

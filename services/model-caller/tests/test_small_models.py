"""Small models get a short prompt and few tools, and whoever looks is told why."""

from typing import Any

import pytest

from agent_contracts.entities.agent_texts import SMALL_PROMPT
from agent_contracts.entities.chosen_tools import CHOSEN_KIND, PINNED_NAME
from agent_contracts.entities.entity import EntityKind
from agent_contracts.session_events.results import ModelCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.model_caller.calling import AGENT, Conversation
from foldline_testing.model_caller.servers import Asked, OpenAI
from foldline_testing.model_caller.ways import Way
from model_caller.choosing.small_models import why_small
from model_caller.choosing.target import ModelTarget
from session_domain.domain.shown.on_demand import MOST_SMALL, SMALL_TOOLS

OWN = "http://127.0.0.1:1/v1"
TOOLS = tuple(
    ToolSpec(name, "Do.", {"type": "object"}, "core", Effect.PURE, RunsOn.TOOLS, always_sent=True)
    for name in (*SMALL_TOOLS, "ask_user", "create_tool", "db_sql", "send_message", "read_skill")
)


@pytest.mark.parametrize(
    ("model", "url", "said"),
    [
        ("openai/SmolLM2-135M-Instruct-Q4_K_M.gguf", OWN, "135M"),
        ("openai/qwen2.5-coder-0.5b-instruct", OWN, "0.5b"),
        ("ollama_chat/llama3.2:1b", None, "1b"),
        ("ollama_chat/gemma3:270m", None, "270m"),
        ("openai/gemma-3n-E2B-it", OWN, "E2B"),
        ("groq/llama-3.2-3b-preview", None, "3b"),
        ("openai/phi-3.5-mini-instruct", OWN, "mini"),
        ("openai/tinyllama", OWN, "tinyllama"),
    ],
)
def test_a_name_may_say_that_a_model_is_small(model: str, url: str | None, said: str) -> None:
    assert why_small(ModelTarget(model, url), 131_072) == f"its name says {said}"


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("openai/gpt-5-mini", None),
        ("openai/gpt-5-mini", OWN),
        ("openai/o4-mini", OWN),
        ("openai/x-ai/grok-3-mini", OWN),
        ("gemini/gemini-flash-latest", None),
        ("openai/MiniMax-M1", OWN),
        ("openai/minicpm-v", OWN),
        ("openai/phi-4-mini", None),
        ("openai/qwen3-30b-a3b", OWN),
        ("openai/mixtral-8x3b", OWN),
        ("openai/llama-3.1-8b-instruct", OWN),
        ("openai/nemotron-nano-9b", OWN),
        ("openai/gpt-oss-120b", OWN),
        ("demo", OWN),
    ],
)
def test_a_name_that_only_sounds_so_does_not(model: str, url: str | None) -> None:
    assert why_small(ModelTarget(model, url), None) is None


def test_a_small_window_makes_a_model_small_and_a_person_decides_otherwise() -> None:
    large, small = ModelTarget("openai/llama-3.1-8b", OWN), ModelTarget("openai/qwen-0.5b", OWN)
    assert why_small(large, 4_096) == "its window has 4,096 tokens"
    assert why_small(large, 16_384) is None
    assert why_small(large, 4_096, "none") is why_small(small, 4_096, "none") is None
    assert why_small(large, None, "all") == "the setting small_models is all"
    assert why_small(large, None, "openai/llama*, x") == "the setting small_models names openai/llama*"
    assert why_small(small, 4_096, "openai/llama*") is None


def names(asked: Asked) -> list[str]:
    """The tools in a request."""
    return [tool["function"]["name"] for tool in asked.body["tools"]]


def system(asked: Asked) -> str:
    text: str = asked.body["messages"][0]["content"]
    return text


async def said_by(conversation: Conversation) -> ModelCallCompleted:
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, ModelCallCompleted)
    return answer


@pytest.fixture
def small() -> Way:
    """A server of one's own with a model whose name says how small it is."""
    return Way("openai/qwen2.5-0.5b", OpenAI())


async def test_a_small_model_gets_a_short_prompt_and_few_tools(small: Way) -> None:
    async with small.chat([small.says(small.speech.text("Hi."))], tools=TOOLS) as (conversation, seen):
        await conversation.say("hello")
        answer = await said_by(conversation)
    [asked] = seen
    assert names(asked) == [*SMALL_TOOLS, "find_tools", "call_tool"]
    assert len(names(asked)) == MOST_SMALL
    assert system(asked).startswith(SMALL_PROMPT)
    assert "# More tools" not in system(asked)
    assert answer.small_since == "its name says 0.5b"


async def test_a_persons_own_prompt_and_pinned_tools_stay(small: Way) -> None:
    answer = small.says(small.speech.text("Hi."))
    async with small.chat([answer], tools=TOOLS) as (conversation, seen):
        await write(conversation, EntityKind.PROMPT, "prompt", {"text": "Speak like a pirate."})
        await write(conversation, CHOSEN_KIND, PINNED_NAME, {"names": ["read_skill", "db_sql"]})
        await conversation.say("hello")
    [asked] = seen
    assert system(asked).startswith("Speak like a pirate.")
    assert names(asked) == ["db_sql", "read_skill", *SMALL_TOOLS[:4], "find_tools", "call_tool"]


@pytest.mark.parametrize(("window", "why"), [(4_096, "its window has 4,096 tokens"), (32_768, None)])
async def test_the_window_that_the_server_tells_counts_from_the_first_request_on(
    small: Way, window: int, why: str | None
) -> None:
    way = Way("openai/x", small.speech)
    facts = {"/v1/models": {"data": [{"id": "x", "max_model_len": window}]}}
    answers = [way.says(way.speech.text("Hi."))]
    async with way.chat(answers, facts=facts, tools=TOOLS) as (conversation, seen):
        await conversation.say("hello")
        await conversation.say("again")
        answered = await conversation.answers()
    first, second = seen
    assert len(names(first)) == (MOST_SMALL if why else len(TOOLS))
    assert names(second) == names(first), "what a server has read stays the same"
    assert [one.small_since for one in answered if isinstance(one, ModelCallCompleted)] == [why] * 2


async def write(conversation: Conversation, kind: EntityKind, name: str, value: Any) -> None:
    writer = EntityWriter.user(conversation.clock.new_id("edit"))
    await conversation.entities.write(EntityKey(AGENT, kind, name), value, writer)

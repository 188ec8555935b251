"""A call is made by the settings that hold at its request, and by none of a moment before or after."""

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest
from pydantic import SecretStr

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.questions.generation import Intelligence
from agent_contracts.questions.model_tests import ModelTrial, ModelTried
from agent_contracts.session_events.inputs import UserMessage
from agent_contracts.session_events.results import ModelCallCompleted
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.bucket import Bucket
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import AGENT, QUICK, Conversation, settings_of
from foldline_testing.model_caller.calling import choice_of as model_at
from model_caller.calls import model_trials
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.model_trials import ModelTrials
from model_caller.choosing.model_choice import choice_of
from model_caller.choosing.target import target_for, targets_for
from model_caller.providers.by_model import ByModel
from model_caller.settings import ModelCallerSettings

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
SCRIPT = {"rules": [{"reply": {"text": "Hi."}}]}
KEY = "sk-of-a-person-1234567890"


async def write(conversation: Conversation, agent_id: AgentId, name: str, value: Json) -> int:
    """A person sets something."""
    key = EntityKey(agent_id, EntityKind.SETTING, name)
    writer = EntityWriter.user(f"{agent_id}{name}{await conversation.log.last_sequence()}")
    changed = await conversation.entities.write(key, value, writer)
    assert changed.sequence is not None
    return changed.sequence


async def answers(conversation: Conversation) -> list[ModelCallCompleted]:
    found = await conversation.answers()
    return [one for one in found if isinstance(one, ModelCallCompleted)]


async def test_the_next_call_asks_the_model_that_was_set_and_its_answer_says_so(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT)
    await conversation.say("one")
    await write(conversation, SYSTEM_AGENT, "model", "openai/second")
    await write(conversation, SYSTEM_AGENT, "model_base_url", model.base_url)
    await conversation.say("two")
    await write(conversation, AGENT, "model", "openai/third")
    await conversation.say("three")
    assert [one.body["model"] for one in model.recording.requests] == ["demo", "second", "third"]
    recorded = [one.model for one in await answers(conversation)]
    assert recorded == ["openai/demo", "openai/second", "openai/third"]


async def test_a_call_that_was_asked_for_before_a_change_doesnt_see_it_however_often_it_is_delivered(
    talk: Talk,
) -> None:
    conversation, model = await talk(SCRIPT)
    await conversation.say("one")
    await conversation.add(UserMessage(text="two"))
    await conversation.settle(model=False)
    await write(conversation, SYSTEM_AGENT, "model", "openai/later")
    await conversation.handle_request(attempt=2)
    assert model.recording.requests[-1].body["model"] == "demo"


async def test_zone_tools_and_prices_hold_from_the_next_call_on(talk: Talk) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10}
    conversation, model = await talk({"rules": [{"reply": {"text": "Hi.", "usage": usage}}]})
    await conversation.say("one")
    prices = {"openai/demo": {"input": 2, "output": 10}}
    await write(conversation, SYSTEM_AGENT, "prices", prices)
    await write(conversation, AGENT, "timezone", "Asia/Kathmandu")
    await conversation.say("two")
    first, second = await answers(conversation)
    assert (first.usage.cost_micros, second.usage.cost_micros) == (None, 2_100)
    texts = [str(one.messages) for one in model.recording.requests]
    assert "Asia/Kathmandu" not in texts[0]
    assert "Asia/Kathmandu" in texts[1]


def test_a_providers_key_goes_to_that_provider_alone() -> None:
    settings = ModelCallerSettings(
        model="openai/own",
        model_base_url="http://127.0.0.1:1/v1",
        model_api_key=SecretStr("of-own-server"),
        openai_api_key=SecretStr("of-openai"),
        anthropic_api_key=SecretStr("of-anthropic"),
    )
    choice = choice_of(settings)
    assert target_for(choice, None).api_key == "of-own-server"
    assert target_for(choice, "openai/other").api_key == "of-own-server"
    assert target_for(choice, "anthropic/claude-sonnet-4-5").api_key == "of-anthropic"
    assert target_for(choice, "gemini/gemini-flash-latest").api_key is None
    alone = choice_of(settings.model_copy(update={"model_base_url": None, "model_api_key": None}))
    assert target_for(alone, None).api_key == "of-openai"
    keyless = choice_of(settings.model_copy(update={"model_api_key": None}))
    assert target_for(keyless, None).api_key is None, "a server of one's own gets no provider's key"


class Trials:
    """Tests of a scripted model."""

    def __init__(self, conversation: Conversation, model: DemoModel, *locked: str) -> None:
        self.vault = Vault(
            Bucket(MemoryLog(), "secrets"),
            SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key()))),
        )
        told = settings_of(model_at("openai/demo", model.base_url))
        effective = EffectiveSettings(conversation.entities, told, self.vault)
        self.provider = ByModel(QUICK)
        self.testing = ModelTrials(
            self.provider,
            effective,
            self.vault,
            AdaptationMemory(conversation.entities, conversation.clock),
        )

    async def __call__(self, level: Intelligence | None = None, **values: Json) -> ModelTried:
        key = values.pop("model_api_key", None)
        sealed = {}
        if key is not None:
            sealed["model_api_key"] = self.vault.sealed(AGENT, "model_api_key", str(key))
        asked = msgspec.json.encode(ModelTrial(AGENT, level, dict(values), sealed))
        return msgspec.json.decode(await self.testing.answer(asked), type=ModelTried)


@pytest.fixture
async def trials(talk: Talk) -> Any:
    conversation, model = await talk({"rules": [{"reply": {"text": "ok"}}]})
    trial = Trials(conversation, model)
    yield trial, conversation, model
    await trial.provider.close()


async def test_what_the_operator_fixed_is_not_tested_otherwise(
    trials: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test by what could never be saved would say of nothing that it works."""
    trial, _, model = trials
    fixed = property(lambda _: frozenset({"model", "model_api_key"}))
    monkeypatch.setattr(ModelCallerSettings, "locks", fixed)
    tested = await trial(model="openai/other", model_api_key=KEY)
    assert (tested.model, tested.said) == ("openai/demo", "ok")
    assert [one.body["model"] for one in model.recording.requests] == ["demo"]
    assert KEY not in str(model.recording.requests[0].headers)


async def test_another_model_is_not_asked_at_the_server_of_the_one_that_is_told(trials: Any) -> None:
    trial, _, model = trials
    tested = await trial(model="hosted_vllm/other")
    assert tested.server is None
    assert model.recording.count == 0
    assert (await trial(model="hosted_vllm/other", model_base_url=model.base_url)).said == "ok"


async def test_another_providers_model_is_not_asked_at_the_server_that_a_person_set(trials: Any) -> None:
    trial, conversation, model = trials
    await write(conversation, AGENT, "model", "openai/scripted")
    await write(conversation, AGENT, "model_base_url", f"{model.base_url}/./")
    assert (await trial(model="hosted_vllm/other")).server is None
    assert model.recording.count == 0
    assert (await trial(model="openai/other")).server is not None, "of the same provider, as in a chat"


async def test_whether_a_model_can_be_asked_here_is_said_before_it_is_set(
    trials: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial, _, model = trials

    async def ready(name: str) -> ModelTried:
        asked = msgspec.json.encode(ModelTrial(AGENT, None, {"model": name}, {}, "ready"))
        return msgspec.json.decode(await trial.testing.answer(asked), type=ModelTried)

    monkeypatch.setattr(model_trials, "is_installed", lambda: False)
    assert (await ready("groq/x")).problem is None
    assert "pip install 'foldline[litellm]'" in str((await ready("bedrock/x")).problem)
    monkeypatch.setattr(model_trials, "is_installed", lambda: True)
    assert (await ready("bedrock/x")).problem is None
    assert model.recording.count == 0


async def test_a_test_is_one_real_call_with_what_is_not_saved(trials: Any) -> None:
    trial, conversation, model = trials
    before = await conversation.log.last_sequence()
    tried = await trial(
        Intelligence.LOW, model_low="openai/small", model_base_url=model.base_url, model_api_key=KEY
    )
    assert (tried.model, tried.said, tried.problem) == ("openai/small", "ok", None)
    assert tried.usage is not None
    (asked,) = model.recording.requests
    assert asked.body["model"] == "small"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert await conversation.log.last_sequence() == before


async def test_a_test_that_fails_says_why_in_words_without_the_key(trials: Any) -> None:
    trial, _, _ = trials
    nowhere = await trial(model="openai/x", model_base_url="http://127.0.0.1:1/v1", model_api_key=KEY)
    assert nowhere.kind == "unreachable"
    assert "127.0.0.1:1" in (nowhere.problem or "")
    assert KEY not in (nowhere.problem or "")
    nonsense = await trial(model=5)
    assert "model" in (nonsense.problem or "")


async def test_a_test_of_a_chain_asks_all_of_its_models_and_keys_and_names_the_first_that_fails(
    trials: Any,
) -> None:
    trial, _, model = trials
    chain = {"model": "openai/a, openai/b", "model_base_url": model.base_url}
    tried = await trial(**chain, model_api_key=f"{KEY},{KEY}-2")
    assert (tried.model, tried.said, tried.problem) == ("openai/a", "ok", None)
    asked = [(one.body["model"], one.headers["authorization"][-2:]) for one in model.recording.requests]
    assert sorted(asked) == [("a", "-2"), ("a", KEY[-2:]), ("b", "-2"), ("b", KEY[-2:])]
    model.play({"rules": [{"reply": {"text": "ok", "fault": {"kind": "bad_request", "status": 401}}}]})
    tried = await trial(**chain, model_api_key=f"{KEY},{KEY}-2")
    assert tried.kind == "authentication"
    assert tried.problem is not None
    assert tried.problem.startswith("1 of 4, openai/a, key 1: ")
    assert KEY not in tried.problem


def test_a_chain_is_its_models_in_order_each_with_the_keys_of_its_provider() -> None:
    settings = ModelCallerSettings(
        model="openai/own, anthropic/claude, openai/other",
        model_base_url="http://127.0.0.1:1/v1",
        model_api_key=SecretStr("own-1, own-2,,own-1"),
        anthropic_api_key=SecretStr("of-anthropic"),
        model_context_window="8000",
    )
    found = targets_for(choice_of(settings), None)
    assert [(one.model, one.api_key, one.key, one.keys) for one in found] == [
        ("openai/own", "own-1", 1, 2),
        ("openai/own", "own-2", 2, 2),
        ("anthropic/claude", "of-anthropic", 0, 0),
        ("openai/other", "own-1", 1, 2),
        ("openai/other", "own-2", 2, 2),
    ]
    assert [one.base_url is None for one in found] == [False, False, True, False, False]
    assert [one.context_window for one in found] == [8_000, 8_000, None, None, None]
    chosen = targets_for(choice_of(settings), "anthropic/x, openai/y")
    assert [(one.model, one.api_key) for one in chosen] == [
        ("anthropic/x", "of-anthropic"),
        ("openai/y", "own-1"),
        ("openai/y", "own-2"),
    ]


def test_models_of_one_provider_have_servers_keys_and_windows_of_their_own() -> None:
    settings = ModelCallerSettings(
        model="openai/one, openai/two, openai/three",
        model_base_url="http://127.0.0.1:1/v1",
        model_servers="openai/two = 127.0.0.1:2/v1/chat/completions, openai/three=http://127.0.0.1:3/v1",
        model_api_key=SecretStr("k-1, openai/two=k-2, k=1/, openai/two=k-22"),
        model_context_window="8192, openai/two=32768",
    )
    found = [
        (one.model, one.base_url, one.api_key, one.context_window)
        for one in targets_for(choice_of(settings), None)
    ]
    assert found == [
        ("openai/one", "http://127.0.0.1:1/v1", "k-1", 8_192),
        ("openai/one", "http://127.0.0.1:1/v1", "k=1/", 8_192),
        ("openai/two", "http://127.0.0.1:2/v1", "k-2", 32_768),
        ("openai/two", "http://127.0.0.1:2/v1", "k-22", 32_768),
        ("openai/three", "http://127.0.0.1:3/v1", None, None),
    ]
    first, _ = targets_for(choice_of(settings), "openai/two")
    assert first.context_window == 32_768, "its own before that of the first one"


def test_a_number_may_be_told_for_the_window() -> None:
    settings = ModelCallerSettings.model_validate({"model": "openai/x", "model_context_window": 8_192})
    assert [one.context_window for one in targets_for(choice_of(settings), None)] == [8_192]


def test_several_keys_in_the_variable_of_any_provider_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1, sk-or-2")
    found = targets_for(choice_of(ModelCallerSettings(model="openrouter/x/y")), None)
    assert [one.api_key for one in found] == ["sk-or-1", "sk-or-2"]

"""Providers of the file are asked by ourselves, at their addresses, with their keys and quirks."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import (
    ADAPTATIONS_KIND,
    Adaptation,
    LearnedAdaptation,
    ModelAdaptations,
    adaptations_name,
)
from agent_contracts.event_sources import Actor
from agent_contracts.session_events.results import ModelFailure
from agent_domain.model_providers import model_providers
from agent_platform.entities.entity import Entity, EntityKey
from foldline_testing.model_caller.calling import QUICK, choice_of
from foldline_testing.model_caller.servers import (
    HEAD,
    Anthropic,
    Asked,
    Ollama,
    OpenAI,
    Speech,
    events,
    lines,
    serving,
)
from model_caller.answers.answer import AnswerEnding, AnswerPiece
from model_caller.answers.failures import ModelFault, explain
from model_caller.calls.adaptation_memory import with_known
from model_caller.choosing.target import ModelTarget, target_for
from model_caller.providers import loading, offered_models
from model_caller.providers.addresses import address_and_key
from model_caller.providers.by_model import ByModel
from model_caller.providers.sight import address_of
from session_domain.model_requests.request import ModelRequest

DIRECT = [name for name, one in model_providers().items() if one.interface != "litellm"]
SPEECHES: dict[str, Speech] = {"openai": OpenAI(), "anthropic": Anthropic(), "ollama": Ollama()}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "hello"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "3"},
]


def answer_of(name: str) -> bytes:
    speech = SPEECHES[model_providers()[name].interface]
    if isinstance(speech, Ollama):
        head = HEAD.replace(b"text/event-stream", b"application/x-ndjson")
        return head + lines(*speech.text("ok"), *speech.end("stop"))
    return HEAD + events(*speech.text("ok"), *speech.end("stop"), *speech.close())


async def ask(target: ModelTarget, messages: list[dict[str, Any]], **options: Any) -> str:
    provider, said = ByModel(QUICK), ""
    pieces: AsyncGenerator[AnswerPiece | AnswerEnding, None]
    try:
        async with aclosing(
            provider.stream(ModelRequest(target.model, messages, [], options), target)
        ) as pieces:
            async for piece in pieces:
                said += piece.text if isinstance(piece, AnswerPiece) else ""
    finally:
        await provider.close()
    return said


async def asked(name: str, monkeypatch: pytest.MonkeyPatch, model: str = "m/x", **options: Any) -> Asked:
    """What a provider is sent where its variable says that it is reached here."""
    async with serving([answer_of(name)]) as (url, seen):
        known = model_providers()[name]
        base = url if known.interface == "openai" else url.removesuffix("/v1")
        monkeypatch.setenv(f"{name.upper()}_API_BASE", base)
        for one in known.keys:
            monkeypatch.delenv(one, raising=False)
        monkeypatch.setenv(known.keys[-1], "sk-of-this-one")
        target = target_for(choice_of(f"{name}/{model}"), None)
        assert target.base_url is None, "its own address is meant: prices and limits are by it"
        assert await ask(target, MESSAGES, **options) == "ok"
        return next(one for one in seen if one.body)


@pytest.fixture
def blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where litellm isn't installed."""
    for name in [one for one in sys.modules if one.partition(".")[0] in ("litellm", "openai")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("litellm", "openai"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(loading, "_loaded", [])


@pytest.mark.usefixtures("blocked")
@pytest.mark.parametrize("name", DIRECT)
async def test_it_is_asked_without_litellm_with_its_own_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = await asked(name, monkeypatch)
    assert request.body["model"] == "m/x"
    assert "sk-of-this-one" in request.head


@pytest.mark.parametrize("name", DIRECT)
async def test_calls_and_probes_find_the_same_address(name: str) -> None:
    assert await address_of(ModelTarget(f"{name}/x"), {}) == model_providers()[name].base_url


async def test_what_is_known_of_a_provider_is_so_in_the_first_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = (await asked("mistral", monkeypatch)).body
    assert "stream_options" not in body
    ids = {body["messages"][1]["tool_calls"][0]["id"], body["messages"][2]["tool_call_id"]}
    assert len(ids) == 1
    assert re.fullmatch(r"[A-Za-z0-9]{9}", ids.pop())
    body = (await asked("openai", monkeypatch, "gpt-5-mini", temperature=0.2, max_tokens=9)).body
    assert (body.get("temperature"), body.get("max_tokens"), body["max_completion_tokens"]) == (None, None, 9)
    body = (await asked("openai", monkeypatch, "gpt-4o", temperature=0.2, max_tokens=9)).body
    assert (body["temperature"], body["max_tokens"]) == (0.2, 9)
    body = (await asked("deepseek", monkeypatch, "deepseek-reasoner")).body
    assert body["messages"][1]["reasoning_content"] == ""


def test_a_server_that_a_person_named_may_be_anything() -> None:
    assert target_for(choice_of("mistral/x", "http://127.0.0.1:1/v1"), None).adapted.labels == ()
    assert target_for(choice_of("litellm/mistral/x"), None).adapted.labels == ()


def test_what_was_learned_is_added_to_what_is_known() -> None:
    target = target_for(choice_of("mistral/x"), None)
    learned = (
        LearnedAdaptation(Adaptation.SHORT_CALL_IDS, "ids!", "2026-01-01T00:00:00Z"),
        LearnedAdaptation(Adaptation.NO_PICTURES, "no", "2026-01-01T00:00:00Z"),
    )
    known = msgspec.to_builtins(ModelAdaptations(target.shown_server, target.model, learned))
    name = adaptations_name(target.shown_server, target.model)
    key = EntityKey(SYSTEM_AGENT, ADAPTATIONS_KIND, name)
    entity = Entity(key, known, 1, 1, "2026-01-01T00:00:00Z", Actor.SERVICE)
    more = with_known(target, [entity])
    labels = ("short_call_ids", "without_field stream_options", "no_reasoning", "no_pictures")
    assert more.adapted.labels == labels
    assert with_known(more, [entity]).adapted.labels == labels, "read once more"


PROGRAM = """
import asyncio, sys
sys.modules["litellm"] = sys.modules["openai"] = None
import foldline.cli.main, model_caller.app
from contextlib import aclosing
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.by_model import ByModel
from session_domain.model_requests.request import ModelRequest

async def main():
    provider = ByModel(ModelCallLimits())
    request = ModelRequest("openai/x", [{"role": "user", "content": "hello"}], [])
    async with aclosing(provider.stream(request, ModelTarget("openai/x", sys.argv[1], "k"))) as pieces:
        print("".join([getattr(piece, "text", "") async for piece in pieces]))
    await provider.close()

asyncio.run(main())
"""


@pytest.mark.processes
async def test_a_program_without_litellm_starts_and_asks_a_model() -> None:
    async with serving([answer_of("openai")]) as (url, _):
        arguments = (sys.executable, "-c", PROGRAM, url)
        program = await asyncio.create_subprocess_exec(*arguments, stdout=PIPE, stderr=PIPE)
        out, problems = await program.communicate()
    assert (program.returncode, out.decode().strip()) == (0, "ok"), problems.decode()


@pytest.mark.usefixtures("blocked")
@pytest.mark.parametrize(
    ("model", "instead"),
    [
        ("bedrock/anthropic.claude", "name it openai/MODEL and set the server's address"),
        ("litellm/groq/x", "Name it groq/x, which needs nothing else"),
        ("gpt-5-mini", "such as openai/gpt-5-mini"),
        ("nobody/knows", "name it openai/MODEL and set the server's address"),
    ],
)
async def test_without_litellm_its_models_say_how_to_install_it(model: str, instead: str) -> None:
    target = target_for(choice_of(model), None)
    provider = ByModel(QUICK)
    await provider.warm_up(target)
    with pytest.raises(ModelFault) as raised:
        await ask(target, MESSAGES)
    words = explain(raised.value, target, 1)
    assert raised.value.failure is ModelFailure.UNKNOWN_MODEL
    assert not raised.value.transient
    assert f"{sys.executable} -m pip install 'foldline[litellm]'" in words
    assert f"The model {model} is asked through litellm, which isn't installed." in words
    assert instead in words
    assert not (await address_of(target, {}) and target.known_provider is None)
    await provider.close()


async def test_a_list_of_models_may_stand_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [{"id": "openai/gpt-5-mini"}, {"id": "models/gemini-x"}]
    async with serving([], {"/v1/elsewhere": listed}) as (url, _):
        there = msgspec.structs.replace(model_providers()["github"], models_url=f"{url}/elsewhere")
        monkeypatch.setattr(offered_models, "model_providers", lambda: {"github": there})
        monkeypatch.setenv("GITHUB_TOKEN", "t")
        found = await offered_models.offered_models(ModelTarget("github/x"))
    assert found == ["github/gemini-x", "github/openai/gpt-5-mini"]


@pytest.mark.parametrize("name", [name for name in DIRECT if not model_providers()[name].own])
def test_a_provider_that_is_named_by_its_own_address_is_no_server_of_ones_own(name: str) -> None:
    """So the setup dialog sets one whose key is not a setting of its own."""
    address = model_providers()[name].base_url
    found = target_for(choice_of(f"{name}/x", f"{address}/", "the-key"), None)
    assert (found.base_url, found.own_url, found.api_key) == (None, None, "the-key")
    assert address_and_key(found, {}) == (address, "the-key")
    other = target_for(choice_of(f"{name}/x", "http://127.0.0.1:1/v1", "the-key"), None)
    assert other.own_url == "http://127.0.0.1:1/v1"

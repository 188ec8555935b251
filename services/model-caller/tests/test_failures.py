"""A failure's words help the person in the chat, and hold no secret."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from agent_contracts.session_events.results import ModelFailure
from agent_platform.secrecy.failure_text import failure_text
from agent_platform.settings.loading import load_settings
from foldline_testing.model_caller.calling import choice_of
from model_caller.answers import failures
from model_caller.answers.failures import ModelFault, explain
from model_caller.choosing.target import ModelTarget, target_for
from model_caller.settings import ModelCallerSettings

KEY = "an-unusual-key-0123"
OWN = ModelTarget("openai/x", "http://somebody:secret@127.0.0.1:9/v1?key=other", KEY)
HOSTED = ModelTarget("anthropic/claude", None, KEY)


@pytest.mark.parametrize("target", [OWN, HOSTED], ids=["own", "hosted"])
@pytest.mark.parametrize("failure", [one for one in ModelFailure if one is not ModelFailure.BUDGET])
def test_every_failure_says_what_happened_and_what_to_do(failure: ModelFailure, target: ModelTarget) -> None:
    message = explain(ModelFault(failure, f"no\n good with {KEY}"), target, attempts=3)
    assert "“no good with ••••••”" in message
    assert "It was tried 3 times." in message
    assert message.count(".") >= 3
    for secret in (KEY, "secret", "key=other"):
        assert secret not in message


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abc***********************def. You can find",
        "Bearer eyJhbGciOi.abc",
        "key AIzaSyA1234567890abcdef",
        "gsk_0123456789abcdef",
    ],
)
def test_what_looks_like_a_key_is_masked(text: str) -> None:
    assert "•••" in failure_text(text)
    for piece in ("abc", "eyJ", "AIza", "0123456789"):
        assert piece not in failure_text(text)


def test_the_environments_keys_are_masked() -> None:
    environ = {"SOME_API_KEY": "plain words", "HOME": "/home/me", "EMPTY_API_KEY": ""}
    load_settings(ModelCallerSettings, environ)
    assert failure_text("with plain words in /home/me") == "with •••••• in /home/me"


def test_ordinary_words_stay() -> None:
    words = "The task-based desk-top sky-scraper risk-averse key-management monkey_business asked."
    assert failure_text(words) == words


def test_long_words_are_cut() -> None:
    assert len(explain(ModelFault(ModelFailure.BAD_REQUEST, "x" * 100_000), OWN, 1)) < 2_000


@pytest.mark.parametrize("model", [None, "openai/x", "openai/another"])
def test_models_of_the_same_provider_are_asked_at_the_same_server(model: str | None) -> None:
    choice = choice_of("openai/x", "http://127.0.0.1:9/v1", KEY)
    assert target_for(choice, model) == ModelTarget(model or "openai/x", "http://127.0.0.1:9/v1", KEY)


@pytest.mark.parametrize("model", ["anthropic/claude", "gpt-5", "evil/openai/x"])
def test_the_key_goes_to_no_other_provider(model: str) -> None:
    choice = choice_of("openai/x", "http://127.0.0.1:9/v1", KEY)
    assert target_for(choice, model) == ModelTarget(model)


def test_a_target_does_not_show_its_key() -> None:
    assert KEY not in repr(OWN)
    assert "secret" not in repr(OWN)


def test_a_slip_in_the_name_of_a_provider_is_said_with_the_nearest() -> None:
    fault = ModelFault(ModelFailure.UNKNOWN_MODEL, "LLM provider NOT provided")
    words = explain(fault, ModelTarget("anthropc/fast"), 1)
    assert words.startswith("No provider is named anthropc; there is anthropic.")
    assert "doesn't know the model" in explain(fault, ModelTarget("anthropic/fast"), 1)
    assert "doesn't know the model" in explain(fault, ModelTarget("anthropc/fast", "http://lan/v1"), 1)


def test_a_provider_that_was_installed_since_the_start_asks_for_a_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault = ModelFault(ModelFailure.UNKNOWN_MODEL, "LLM provider NOT provided")
    points = EntryPoints([EntryPoint("telegraph", "a:B", "foldline.providers")])
    monkeypatch.setattr(failures, "entry_points", lambda group: points)
    words = explain(fault, ModelTarget("telegraph/fast"), 1)
    assert words.startswith("The provider telegraph was installed after Foldline started: restart Foldline.")

"""`model_providers.toml` agrees with the settings and with the variables that hold keys."""

import re
from urllib.parse import urlsplit

import pytest

from agent_contracts.entities.model_adaptations import Adaptation
from agent_domain.model_providers import (
    ModelProvider,
    model_providers,
    named_address,
    provider_address,
    provider_key,
)
from agent_domain.models import KeySettings, key_setting
from agent_platform.settings.sources import UNPREFIXED, variable

EVERY = list(model_providers().items())


@pytest.mark.parametrize(("name", "provider"), EVERY, ids=[name for name, _ in EVERY])
def test_each_says_where_it_is_and_how_its_key_is_named(name: str, provider: ModelProvider) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", name)
    assert provider.label.strip()
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]+", key) for key in provider.keys)
    assert provider.model is None or provider.model.startswith(f"{name}/")
    assert provider.model is None or provider.keys
    if provider.interface == "litellm":
        assert provider.base_url is None
        return
    assert provider.keys
    address = urlsplit(provider.base_url or "")
    assert address.scheme == ("http" if provider.own else "https")
    assert (address.hostname == "127.0.0.1") == provider.own
    assert not (provider.base_url or "").endswith("/")
    assert not (provider.own and provider.quirks), "a server of one's own may be anything"
    for quirk in provider.quirks:
        re.compile(quirk.models)
        assert quirk.why.strip()
        assert (quirk.field is not None) == (quirk.adaptation is Adaptation.WITHOUT_FIELD)


def test_the_settings_that_hold_keys_are_those_that_the_file_names() -> None:
    named = {key_setting(name): provider.keys[0] for name, provider in EVERY if provider.is_setting}
    assert {name for name in KeySettings.model_fields if name.endswith("_api_key")} == {
        "model_api_key",
        *named,
    }
    assert {name: variable(name) for name in named} == named, "its variable is the usual one"
    assert {name for name in UNPREFIXED if name.endswith("_api_key")} == {*named}


def test_the_environment_counts_before_the_file() -> None:
    environ = {"GROQ_API_BASE": "http://here/v1", "TOGETHERAI_API_KEY": "k2", "UNKNOWN_API_KEY": "k3"}
    assert provider_address("groq", environ) == named_address("groq", environ) == "http://here/v1"
    assert provider_address("groq", {}) == "https://api.groq.com/openai/v1"
    assert named_address("groq", {}) is None
    assert provider_key("together_ai", environ) == ("TOGETHERAI_API_KEY", "k2")
    assert provider_key("unknown", environ) == ("UNKNOWN_API_KEY", "k3")
    assert provider_key("groq", environ) is None
    assert provider_address("unknown", environ) is None


def test_a_quirk_is_of_the_models_that_it_names() -> None:
    openai = model_providers()["openai"]
    labels = [one.label for one in openai.quirks_of("o3")]
    assert labels == ["max_completion_tokens", "without_field temperature"]
    assert openai.quirks_of("gpt-4o") == ()
    labels = [one.label for one in model_providers()["mistral"].quirks_of("mistral-large-latest")]
    assert labels == ["short_call_ids", "without_field stream_options", "no_reasoning"]

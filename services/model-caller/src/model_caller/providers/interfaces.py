"""The interfaces over which models are asked, by the names that `agent_domain/model_providers.toml` has."""

from collections.abc import Mapping

from agent_domain.model_providers import model_providers
from model_caller.providers import anthropic, litellm_provider, ollama, openai_compatible
from model_caller.providers.interface import ModelInterface

INTERFACES: Mapping[str, ModelInterface] = {
    "openai": openai_compatible.INTERFACE,
    "anthropic": anthropic.INTERFACE,
    "ollama": ollama.INTERFACE,
    "litellm": litellm_provider.INTERFACE,
}

for _name, _provider in model_providers().items():
    assert _provider.interface in INTERFACES, f"{_name}: no interface {_provider.interface} is known"

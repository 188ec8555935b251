"""Settings about models: which answer, where they are, what they cost, and the keys to them."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, field_validator

from agent_domain.prices import Price
from agent_platform.settings.settings import OptionalAddress, Settings
from agent_platform.settings.sources import Allowed

MOST_PRICES = 500
ModelName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
_NAMED = Allowed("a litellm model string of at most 200 characters, such as openai/gpt-5-mini")
OptionalModel = Annotated[ModelName | None, _NAMED]

PROVIDERS = (
    ("openai", "openai/gpt-5-mini"),
    ("anthropic", "anthropic/claude-sonnet-4-5"),
    ("gemini", "gemini/gemini-flash-latest"),
    ("mistral", "mistral/mistral-large-latest"),
    ("deepseek", "deepseek/deepseek-chat"),
    ("xai", "xai/grok-4.5-latest"),
    ("groq", "groq/openai/gpt-oss-120b"),
    ("cerebras", "cerebras/gpt-oss-120b"),
    ("together_ai", "together_ai/openai/gpt-oss-120b"),
)
"""Providers by what comes first in their model strings, in the order in which they are tried, and for each a
model of the middle price that calls tools."""


def key_setting(provider: str) -> str:
    """The setting that holds a provider's key; its variable is the one that litellm reads."""
    return f"{provider}_api_key"


class ModelSettings(Settings):
    """Which model answers where a session names none, where it is, and what of it differs from what is known
    of models."""

    model: OptionalModel = Field(
        default=None, description="a litellm model string; else a provider's key, a local Ollama, the demo"
    )
    model_base_url: OptionalAddress = Field(
        default=None, max_length=2000, description="an OpenAI-compatible server, or one like Anthropic's"
    )
    model_low: OptionalModel = Field(default=None, description="the cheap model; MODEL if not given")
    model_medium: OptionalModel = Field(default=None, description="the middle model; MODEL if not given")
    model_high: OptionalModel = Field(default=None, description="the strong model; MODEL if not given")
    model_context_window: Annotated[int | None, Field(ge=1, le=10**9), Allowed("tokens, 1 to 1000000000")] = (
        Field(default=None, description="tokens that the model takes, where litellm doesn't know")
    )
    vision_models: Annotated[str, Allowed("auto, all, none, or models separated by commas")] = Field(
        default="auto",
        min_length=1,
        max_length=2000,
        description="models that are shown pictures; auto: those known to see",
    )
    tools: Annotated[Literal["on_demand", "all"], Allowed("on_demand or all")] = Field(
        default="on_demand",
        description="which tools' definitions stand in each request: few, the others on demand; or all",
    )
    prices: Annotated[
        dict[ModelName, Price],
        Field(max_length=MOST_PRICES),
        Allowed(
            "for each model string, US dollars for a million tokens: "
            '{"openai/my-model": {"input": 1, "output": 4}}, '
            "with cached_input and cache_written if they differ"
        ),
    ] = Field(
        default_factory=dict, description="what tokens cost, where that differs from litellm's list; JSON"
    )

    @field_validator("prices", mode="before")
    @classmethod
    def _decoded(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class KeySettings(Settings):
    """The keys of model servers: of the one that MODEL_BASE_URL names, and of each provider."""

    model_api_key: SecretStr | None = Field(default=None, description="key for that server")
    openai_api_key: SecretStr | None = Field(default=None, description="key for OpenAI")
    anthropic_api_key: SecretStr | None = Field(default=None, description="key for Anthropic")
    gemini_api_key: SecretStr | None = Field(default=None, description="key for Gemini")
    mistral_api_key: SecretStr | None = Field(default=None, description="key for Mistral")
    deepseek_api_key: SecretStr | None = Field(default=None, description="key for DeepSeek")
    xai_api_key: SecretStr | None = Field(default=None, description="key for xAI")
    groq_api_key: SecretStr | None = Field(default=None, description="key for Groq")
    cerebras_api_key: SecretStr | None = Field(default=None, description="key for Cerebras")
    together_ai_api_key: SecretStr | None = Field(default=None, description="key for Together AI")

    def key_of(self, provider: str) -> str | None:
        """A provider's key, if it was given."""
        key: SecretStr | None = getattr(self, key_setting(provider), None)
        return key.get_secret_value() if key else None

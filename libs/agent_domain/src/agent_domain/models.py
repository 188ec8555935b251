"""Settings about models: which answer, where they are, what they cost, and the keys to them."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from agent_contracts.model_chain import LONGEST_CHAIN, MOST_MODELS, chain_flaw
from agent_contracts.thinking_choice import LEAST_BUDGET, MOST_BUDGET, Effort
from agent_domain.model_addresses import base_url_of
from agent_domain.model_entries import (
    LARGEST_WINDOW,
    LONGEST_ENTRIES,
    flaw_in_servers,
    flaw_in_windows,
    with_api_addresses,
)
from agent_domain.prices import Price
from agent_domain.thinking_by_model import LONGEST_THINKING, thinking_flaw
from agent_platform.settings.settings import BaseSettings, OptionalAddress
from agent_platform.settings.sources import NAMED_FLAW, AllowedValues

MOST_PRICES = 500
ModelName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
_NAMED = AllowedValues("provider/model of at most 200 characters, such as openai/gpt-5-mini")
OptionalModel = Annotated[ModelName | None, _NAMED]


def _checked_chain(chain: str) -> str:
    return _without(chain_flaw(chain), chain)


ModelChain = Annotated[str, Field(min_length=1, max_length=LONGEST_CHAIN), AfterValidator(_checked_chain)]
OptionalChain = Annotated[
    ModelChain | None,
    AllowedValues(
        "provider/model of at most 200 characters, such as openai/gpt-5-mini, or a chain of at most "
        f"{MOST_MODELS}, separated by commas"
    ),
]


def _checked_windows(text: str) -> str:
    return _without(flaw_in_windows(text), text)


def _checked_servers(text: str) -> str:
    return _without(flaw_in_servers(text), text)


def _checked_thinking(text: str) -> str:
    return _without(thinking_flaw(text), text)


def _without(flaw: str | None, text: str) -> str:
    if flaw is not None:
        raise PydanticCustomError(NAMED_FLAW, "{flaw}", {"flaw": flaw})
    return text


ModelWindows = Annotated[
    str, Field(min_length=1, max_length=LONGEST_ENTRIES), AfterValidator(_checked_windows)
]
OptionalWindows = Annotated[
    ModelWindows | None,
    AllowedValues(
        f"tokens, 1 to {LARGEST_WINDOW}, or provider/model=tokens for each of several models, separated by "
        "commas"
    ),
]
ModelServers = Annotated[
    str, Field(min_length=1, max_length=LONGEST_ENTRIES), AfterValidator(_checked_servers)
]
OptionalServers = Annotated[
    ModelServers | None,
    AllowedValues(
        "provider/model=address, separated by commas, such as openai/small=http://127.0.0.1:8001/v1"
    ),
]
ThinkingByModel = Annotated[
    str, Field(min_length=1, max_length=LONGEST_THINKING), AfterValidator(_checked_thinking)
]


def key_setting(provider: str) -> str:
    """The setting that holds a provider's key, for providers that have one."""
    return f"{provider}_api_key"


class ModelSettings(BaseSettings):
    """Which model answers where a session names none, where it is, and what of it differs from what is known
    of models."""

    model: OptionalChain = Field(
        default=None,
        description="which model answers, as provider/model. If empty: a provider whose key is found, else "
        "Ollama, else the demo. Separate several with commas: the next one is tried if one fails",
    )
    model_base_url: OptionalAddress = Field(
        default=None,
        max_length=2000,
        description="the address of your own model server (OpenAI- or Anthropic-compatible)",
    )
    model_low: OptionalChain = Field(
        default=None, description="a cheap model for simple steps. Default: the main model"
    )
    model_medium: OptionalChain = Field(
        default=None, description="a model for steps of medium difficulty. Default: the main model"
    )
    model_high: OptionalChain = Field(
        default=None, description="a strong model for hard steps. Default: the main model"
    )
    embedding_model: OptionalModel = Field(
        default=None,
        description="the embedding model for search by meaning. Default: "
        "openai/text-embedding-3-small if the main model is OpenAI's, else none",
    )
    model_servers: OptionalServers = Field(
        default=None,
        description="addresses of single models that run on another server than the one above",
    )
    model_context_window: OptionalWindows = Field(
        default=None,
        description="the context window in tokens. Needed only for models that Foldline doesn't know",
    )
    answer_limit: Annotated[int | None, Field(ge=16, le=10**6), AllowedValues("tokens, 16 to 1000000")] = (
        Field(
            default=None,
            description="the longest answer, in tokens. Default: a quarter of the window on your own "
            "server, else the provider's limit",
        )
    )
    thinking_effort: Annotated[Effort | None, AllowedValues("none, minimal, low, medium, high or xhigh")] = (
        Field(
            default=None,
            description="how much models think before they answer. Default: each model's own",
        )
    )
    thinking_budget: Annotated[
        int | None,
        Field(ge=LEAST_BUDGET, le=MOST_BUDGET),
        AllowedValues(f"tokens, {LEAST_BUDGET} to {MOST_BUDGET}"),
    ] = Field(
        default=None,
        description="how many tokens a model may think before each answer, for models with a budget, "
        "such as Anthropic's",
    )
    model_thinking: Annotated[
        ThinkingByModel | None,
        AllowedValues(
            "models with an effort or a number of tokens, separated by commas, with * for any text: "
            "openai/o3*=high, anthropic/*=8192"
        ),
    ] = Field(
        default=None,
        description="how much certain models think, where that differs from the settings above; the first "
        "that fits counts, such as openai/o3*=high, anthropic/*=8192",
    )
    vision_models: Annotated[str, AllowedValues("auto, all, none, or models separated by commas")] = Field(
        default="auto",
        min_length=1,
        max_length=2000,
        description="which models receive your images. auto: models known to read images",
    )
    tools: Annotated[Literal["on_demand", "all"], AllowedValues("on_demand or all")] = Field(
        default="on_demand",
        description="on_demand: the model gets a few tools and looks up others when needed, which costs "
        "fewer tokens; all: it gets every tool with each request",
    )
    small_models: Annotated[str, AllowedValues("auto, all, none, or models separated by commas")] = Field(
        default="auto",
        min_length=1,
        max_length=2000,
        description="which models get a short prompt and at most 8 tools. auto: models whose window has "
        "at most 8,192 tokens, or with a small size in their name, such as 1.5b",
    )
    text_calls: Annotated[str, AllowedValues("none, all, or models separated by commas")] = Field(
        default="none",
        min_length=1,
        max_length=2000,
        description="models whose server doesn't parse tool calls: Foldline reads the calls from their text",
    )
    prices: Annotated[
        dict[ModelName, Price],
        Field(max_length=MOST_PRICES),
        AllowedValues(
            "for each model string, US dollars for a million tokens: "
            '{"openai/my-model": {"input": 1, "output": 4}}, '
            "with cached_input and cache_written if they differ"
        ),
    ] = Field(
        default_factory=dict,
        description="what a million tokens of a model cost, where Foldline's list differs or has none; "
        "JSON in the environment",
    )

    @field_validator("model_base_url", mode="before")
    @classmethod
    def _pasted(cls, value: Any) -> Any:
        return base_url_of(value) if isinstance(value, str) else value

    @field_validator("model_servers", mode="before")
    @classmethod
    def _pasted_servers(cls, value: Any) -> Any:
        return with_api_addresses(value) if isinstance(value, str) and value else value

    @field_validator("model_context_window", mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("prices", mode="before")
    @classmethod
    def _decoded(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class KeySettings(BaseSettings):
    """The keys of model servers: of those that settings name, and of each provider."""

    model_api_key: SecretStr | None = Field(
        default=None,
        description="key for that server; for a server of a single model: provider/model=key",
    )
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
        # Not by getattr: most providers have no field, and pydantic takes long to say so.
        key: SecretStr | None = vars(self).get(key_setting(provider))
        return key.get_secret_value() if key else None

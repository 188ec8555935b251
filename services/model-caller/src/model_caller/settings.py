"""What the model caller is told."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from agent_domain.settings import ModelSettings, TimezoneSettings
from agent_platform.settings.settings import OptionalAddress, Seconds
from agent_platform.settings.shared import QuotaSettings, ServiceSettings, WorkSettings
from agent_platform.settings.sources import PREFIX, Allowed
from model_caller.limits import Limits

_DEFAULTS = Limits()


class ModelChoiceSettings(ModelSettings):
    """Which models answer, and where they are."""

    model_base_url: OptionalAddress = Field(
        default=None, description="an OpenAI-compatible server, or one like Anthropic's"
    )
    model_api_key: SecretStr | None = Field(default=None, description="key for that server")
    model_low: str | None = Field(default=None, description="the cheap model; MODEL if not given")
    model_medium: str | None = Field(default=None, description="the middle model; MODEL if not given")
    model_high: str | None = Field(default=None, description="the strong model; MODEL if not given")

    @model_validator(mode="after")
    def _base_url_needs_a_model(self) -> Self:
        if self.model_base_url and not self.model:
            raise ValueError(
                f"{PREFIX}MODEL_BASE_URL is set but {PREFIX}MODEL is not; "
                f"name the model that this server offers, for example {PREFIX}MODEL=openai/my-model"
            )
        return self


class ModelCallerSettings(
    ServiceSettings, WorkSettings, QuotaSettings, ModelChoiceSettings, TimezoneSettings
):
    """Whom it asks, how patiently, and what it tells models about the user."""

    tools: Annotated[Literal["on_demand", "all"], Allowed("on_demand or all")] = Field(
        default="on_demand",
        description="which tools' definitions stand in each request: few, the others on demand; or all",
    )
    model_connect_timeout: Seconds = Field(
        default=_DEFAULTS.connect, description="seconds until the connection to the model must stand"
    )
    model_first_token_timeout: Seconds = Field(
        default=_DEFAULTS.first_token, description="seconds until a model's answer must begin"
    )
    model_silence_timeout: Seconds = Field(
        default=_DEFAULTS.silence, description="seconds that a model may pause in its answer"
    )
    model_retries: Annotated[int, Field(ge=0), Allowed("a whole number, 0 or more")] = Field(
        default=_DEFAULTS.retries, description="how often a call that failed for a passing reason is repeated"
    )
    model_probe_interval: Seconds = Field(
        default=15, description="seconds between two probes of a model server that failed: is it there again?"
    )
    model_context_window: Annotated[int | None, Field(ge=1), Allowed("tokens, 1 or more")] = Field(
        default=None, description="tokens that the model takes, where litellm doesn't know"
    )

    vision_models: Annotated[str, Allowed("auto, all, none, or models separated by commas")] = Field(
        default="auto", min_length=1, description="models that are shown pictures; auto: those known to see"
    )

    prices: Annotated[Path | None, Allowed("a JSON file of prices by model string")] = Field(
        default=None, description="what tokens cost, where that differs from litellm's list"
    )

    def limits(self) -> Limits:
        """These settings, with what nobody can set."""
        return Limits(
            connect=self.model_connect_timeout,
            first_token=self.model_first_token_timeout,
            silence=self.model_silence_timeout,
            retries=self.model_retries,
            context_window=self.model_context_window,
        )

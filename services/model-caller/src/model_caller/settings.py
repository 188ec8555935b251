"""What the model caller is told."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_domain.budgets.caps import BudgetSettings
from agent_domain.models import KeySettings, ModelSettings
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.settings import TimezoneSettings
from agent_platform.settings.settings import Seconds, SourcedSettings
from agent_platform.settings.shared import QuotaSettings, ServiceSettings, WorkSettings
from agent_platform.settings.sources import PREFIX, AllowedValues
from model_caller.limits import ModelCallLimits

_DEFAULTS = ModelCallLimits()


class ModelChoiceSettings(ModelSettings, KeySettings):
    """Which models answer, where they are, and the keys to them."""

    @model_validator(mode="after")
    def _base_url_needs_a_model(self) -> Self:
        if self.model_base_url and not self.model:
            raise ValueError(
                f"{PREFIX}MODEL_BASE_URL is set but {PREFIX}MODEL is not; "
                f"name the model that this server offers, for example {PREFIX}MODEL=openai/my-model"
            )
        return self


class ModelCallerSettings(
    ServiceSettings,
    WorkSettings,
    QuotaSettings,
    ModelChoiceSettings,
    BudgetSettings,
    TimezoneSettings,
    SecretsSettings,
    SourcedSettings,
):
    """Whom it asks, how patiently, and what it tells models about the user."""

    model_connect_timeout: Seconds = Field(
        default=_DEFAULTS.connect, description="seconds until the connection to the model must stand"
    )
    model_first_token_timeout: Seconds = Field(
        default=_DEFAULTS.first_token,
        description="seconds until a model's answer must begin; unless it is set, a server at a private "
        "address may read as long as it likes",
    )
    model_silence_timeout: Seconds = Field(
        default=_DEFAULTS.silence, description="seconds that a model may pause in its answer"
    )
    model_retries: Annotated[int, Field(ge=0), AllowedValues("a whole number, 0 or more")] = Field(
        default=_DEFAULTS.retries, description="how often a call that failed for a passing reason is repeated"
    )
    model_probe_interval: Seconds = Field(
        default=15, description="seconds between two probes of a model server that failed: is it there again?"
    )

    def limits(self) -> ModelCallLimits:
        """These settings, with what nobody can set."""
        is_default = self.model_first_token_timeout == _DEFAULTS.first_token
        return ModelCallLimits(
            connect=self.model_connect_timeout,
            first_token=self.model_first_token_timeout,
            first_token_at_home=None if is_default else self.model_first_token_timeout,
            silence=self.model_silence_timeout,
            retries=self.model_retries,
        )

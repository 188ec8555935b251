"""What only the model caller can be told, beside the settings of all services."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from agent_platform.settings.settings import Seconds
from agent_platform.settings.sources import PREFIX, Allowed
from model_caller.limits import Limits

_DEFAULTS = Limits()


class ModelCallerSettings(BaseSettings):
    """Read from the environment (`FOLDLINE_MODEL_CONNECT_TIMEOUT`, …)."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

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

    model_context_window: Annotated[int | None, Field(ge=1), Allowed("tokens, 1 or more")] = Field(
        default=None, description="tokens that the model takes, where litellm doesn't know"
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

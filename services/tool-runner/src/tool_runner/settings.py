"""What only the tool runner can be told, beside the settings of all services."""

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from agent_platform.settings.sources import PREFIX, Allowed


class RunnerSettings(BaseSettings):
    """Read from the environment (`FOLDLINE_SELFTEST_TOOLS`, …)."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    selftest_tools: bool = Field(
        default=False, description="offer the tools by which Foldline tests itself; never where people work"
    )
    selftest_file: Annotated[Path | None, Allowed("a file")] = Field(
        default=None, description="where the self-test tools leave a line each time they act"
    )
    selftest_url: Annotated[str | None, Field(pattern=r"^https?://")] = Field(
        default=None, description="where the self-test tools POST each time they act"
    )

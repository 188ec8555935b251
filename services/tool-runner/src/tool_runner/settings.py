"""What the tool runner is told."""

from typing import Annotated

from pydantic import Field

from agent_domain.secrets.settings import SecretsSettings
from agent_domain.settings import TimezoneSettings
from agent_platform.settings.settings import BaseSettings, OptionalAddress, OptionalFile, SourcedSettings
from agent_platform.settings.sources import AllowedValues
from agent_tools.hosting.settings import WorkerSettings
from egress.settings import EgressSettings
from tool_runner.agent.searching.settings import WebSearchSettings
from tool_runner.agent_db.limits import DATABASE_BYTES
from tool_runner.agent_db.thinning import DAYS


class SelftestSettings(BaseSettings):
    """The tools by which Foldline tests itself."""

    selftest_tools: bool = Field(
        default=False, description="offer the tools by which Foldline tests itself; never where people work"
    )
    selftest_file: OptionalFile = Field(
        default=None, description="where the self-test tools leave a line each time they act"
    )
    selftest_url: OptionalAddress = Field(
        default=None, description="where the self-test tools POST each time they act"
    )


class RunnerSettings(
    EgressSettings,
    WebSearchSettings,
    SourcedSettings,
    SecretsSettings,
    TimezoneSettings,
    SelftestSettings,
    WorkerSettings,
):
    """Where tools may go, what they may use."""

    agent_database_limit: Annotated[int, Field(ge=0), AllowedValues("a whole number of bytes, 0 or more")] = (
        Field(default=DATABASE_BYTES, description="bytes that one agent's database may have; 0: no limit")
    )
    agent_snapshot_days: Annotated[
        int, Field(ge=1, le=3650), AllowedValues("a whole number of days, 1 to 3650")
    ] = Field(default=DAYS, description="days for which one snapshot a day of an agent's database is kept")
    sandbox_workers: Annotated[int, Field(ge=0), AllowedValues("a whole number, 0 or more")] = Field(
        default=0, description="processes for agents' code, per tool runner; 0: one for each core"
    )
    sandbox_memory: Annotated[int, Field(ge=0), AllowedValues("a whole number of MiB, 0 or more")] = Field(
        default=0,
        description="MiB for agents' code, per tool runner; 0: 512 and 256 for each of its processes",
    )

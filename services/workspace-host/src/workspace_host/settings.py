"""What the workspace host is told."""

from pydantic import Field

from agent_domain.personal.declarations import CommandSettings
from agent_platform.settings.settings import BaseSettings, SourcedSettings
from agent_tools.hosting.settings import WorkerSettings
from egress.settings import EgressSettings


class HostModeSettings(BaseSettings):
    """How far commands are isolated: what the host goes by, and what `foldline doctor` tells."""

    workspace_host_mode: bool = Field(
        default=False,
        description="whether commands run as the user who runs Foldline, anywhere, each after a person's yes",
    )


class CommandNetworkSettings(CommandSettings, SourcedSettings):
    """Which network commands have, where no person says another."""


class WorkspaceHostSettings(HostModeSettings, CommandNetworkSettings, EgressSettings, WorkerSettings):
    """What commands may do."""

"""What the workspace host is told."""

from pydantic import Field

from agent_platform.settings.settings import Settings
from agent_platform.settings.shared import QuotaSettings, ServiceSettings, WorkSettings


class HostModeSettings(Settings):
    """How far commands are isolated: what the host goes by, and what `foldline doctor` tells."""

    workspace_host_mode: bool = Field(
        default=False,
        description="whether commands run as the user who runs Foldline, anywhere, each after a person's yes",
    )


class WorkspaceHostSettings(HostModeSettings, ServiceSettings, WorkSettings, QuotaSettings):
    """What commands may do."""

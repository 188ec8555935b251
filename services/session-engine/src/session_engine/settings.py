"""What the engine is told."""

from pydantic import Field

from agent_platform.settings.settings import Seconds
from agent_platform.settings.shared import QuotaSettings, ServiceSettings


class EngineSettings(ServiceSettings, QuotaSettings):
    """Where the log is. What a session may do is said in the session itself."""

    retry_spread: Seconds = Field(
        default=10, description="seconds over which failed turns go on once their model server answers"
    )

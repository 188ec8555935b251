"""What the projector is told."""

from pydantic import Field

from agent_platform.settings.settings import Amount, Days
from agent_platform.settings.shared import PostgresSettings, ServiceSettings


class ProjectorSettings(ServiceSettings, PostgresSettings):
    """Where the log and the database are, and what is kept how long."""

    keep_runs: Amount = Field(
        default=50, description="newest runs of each scheduled task whose chats are kept, however old"
    )
    keep_runs_days: Days = Field(
        default=30,
        description="days for which the chats of older runs are kept, too; for ever: what failed, asked "
        "somebody or was touched by a person; 0: no run goes",
    )

"""What the projector is told."""

from agent_platform.settings.shared import PostgresSettings, ServiceSettings


class ProjectorSettings(ServiceSettings, PostgresSettings):
    """Where the log and the database are."""

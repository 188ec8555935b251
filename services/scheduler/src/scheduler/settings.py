"""What the scheduler is told."""

from agent_platform.settings.shared import ServiceSettings


class SchedulerSettings(ServiceSettings):
    """Where the log is."""

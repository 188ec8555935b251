"""What the scheduler is told."""

from agent_domain.sessions.beginning import NewSessionSettings
from agent_platform.settings.settings import SourcedSettings
from agent_platform.settings.shared import QuotaSettings, ServiceSettings


class SchedulerSettings(ServiceSettings, QuotaSettings, NewSessionSettings, SourcedSettings):
    """Where the log is, and what the sessions that it begins may do."""

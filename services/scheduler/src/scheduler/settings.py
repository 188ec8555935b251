"""What the scheduler is told."""

from agent_domain.sessions.new_session_settings import NewSessionSettings
from agent_domain.settings import TimezoneSettings
from agent_platform.settings.settings import SourcedSettings
from agent_platform.settings.shared import QuotaSettings, ServiceSettings


class SchedulerSettings(
    ServiceSettings, QuotaSettings, NewSessionSettings, TimezoneSettings, SourcedSettings
):
    """Where the log is, what the sessions that it begins may do, and in which zone an agent reads times."""

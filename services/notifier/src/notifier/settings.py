"""What the notifier is told."""

from agent_domain.personal.declarations import NotificationSettings
from agent_domain.secrets.settings import SecretsSettings
from agent_platform.settings.settings import SourcedSettings
from egress.settings import EgressSettings


class NotifierSettings(EgressSettings, SecretsSettings, NotificationSettings, SourcedSettings):
    """Where messages may go, and how many."""

"""What the notifier is told."""

from pydantic import Field

from agent_domain.secrets.settings import SecretsSettings
from agent_platform.settings.settings import Count
from egress.settings import EgressSettings


class NotifierSettings(EgressSettings, SecretsSettings):
    """Where messages may go, and how many."""

    notifications_limit: Count = Field(
        default=5, description="notifications about one agent in ten minutes; the rest come as one summary"
    )

"""What every worker is told. Cheap to import: declarations name their settings."""

from agent_platform.settings.shared import QuotaSettings, ServiceSettings, WorkSettings


class WorkerSettings(WorkSettings, QuotaSettings, ServiceSettings):
    """How a worker takes calls, and how much agents may add to the log by them."""

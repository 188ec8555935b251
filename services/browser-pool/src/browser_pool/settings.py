"""What the browser-pool is told."""

from agent_platform.settings.shared import ServiceSettings


class BrowserPoolSettings(ServiceSettings):
    """Where the log is."""

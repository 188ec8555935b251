"""What the engine is told."""

from agent_platform.settings.shared import ServiceSettings


class EngineSettings(ServiceSettings):
    """Where the log is. What a session may do is said in the session itself."""

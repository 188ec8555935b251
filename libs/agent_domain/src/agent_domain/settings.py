"""Settings about what agents have, which several services are told."""

from pydantic import Field

from agent_platform.settings.settings import Settings


class ModelSettings(Settings):
    """Which model answers where a session names none."""

    model: str | None = Field(
        default=None, description="a litellm model string; else a provider's key, a local Ollama, the demo"
    )

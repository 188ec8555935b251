"""What they are told who keep or use the user's secrets."""

from pydantic import Field, SecretStr

from agent_platform.settings.settings import BaseSettings


class SecretsSettings(BaseSettings):
    """The key; without one, a file in the data directory holds it."""

    secrets_key: SecretStr | None = Field(
        default=None, description="key that encrypts the user's secrets; made in the data directory"
    )

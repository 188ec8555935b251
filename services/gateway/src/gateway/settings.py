"""What the gateway is told."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from agent_domain.personal.declared import OpenSettings
from agent_domain.secrets.settings import SecretsSettings
from agent_platform.settings.settings import Count, OptionalFolder, SourcedSettings
from agent_platform.settings.shared import PostgresSettings, QuotaSettings, ServiceSettings
from agent_platform.settings.sources import Allowed
from egress.settings import GatewayPortSettings

LEAST_TOKEN = 16
"""Characters: fewer can be guessed."""
NO_TOKEN = "off"
"""As the token: none is asked for. Only on a loopback address."""


def _hard_to_guess(token: SecretStr | None) -> SecretStr | None:
    said = NO_TOKEN if token is None else token.get_secret_value()
    if said != NO_TOKEN and len(said) < LEAST_TOKEN:
        raise ValueError(f"it has {len(said)} characters")
    return token


def names_in(listed: str) -> list[str]:
    """What a setting lists, separated by commas."""
    return [name.strip() for name in listed.split(",") if name.strip()]


class GatewaySettings(
    ServiceSettings,
    GatewayPortSettings,
    PostgresSettings,
    SecretsSettings,
    QuotaSettings,
    OpenSettings,
    SourcedSettings,
):
    """How it listens, whom it lets in, and the settings that people write, as they are where nobody did."""

    declared: str | None = Field(
        default=None, description="all settings as they were at the start; filled in by Foldline"
    )

    token: Annotated[
        SecretStr | None,
        AfterValidator(_hard_to_guess),
        Allowed(f"`{NO_TOKEN}`, or at least {LEAST_TOKEN} characters, as `openssl rand -hex 16` prints"),
    ] = Field(
        default=None, description="gateway's token; made at the first start. `off`: none, on 127.0.0.1 only"
    )
    allowed_hosts: str = Field(
        default="", description="host names, separated by commas, that the gateway serves besides localhost"
    )
    picture_hosts: str = Field(
        default="",
        description="host names, separated by commas, whose pictures chats load without asking the person",
    )
    body_limit: Count = Field(default=4 * 1024 * 1024, description="bytes that a request's body may have")
    import_limit: Count = Field(
        default=64 * 1024 * 1024,
        description="bytes that an imported file may have",
    )
    upload_limit: Count = Field(
        default=256 * 1024 * 1024,
        description="bytes that the files of one upload may have together; one has at most 50 MB",
    )
    connections: Count = Field(default=1000, description="connections that are open at a time")
    ui_dir: OptionalFolder = Field(default=None, description="the built web UI, if it is not found")

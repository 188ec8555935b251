"""What the gateway is told."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from agent_domain.personal.declarations import OpenSettings
from agent_domain.secrets.settings import SecretsSettings
from agent_platform.settings.settings import Count, OptionalFolder, SourcedSettings
from agent_platform.settings.shared import PostgresSettings, QuotaSettings
from agent_platform.settings.sources import AllowedValues
from egress.settings import ApiSettings


def _an_origin(url: str | None) -> str | None:
    parts = urlsplit(url or "https://unset")
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ValueError("it is no such address")
    if parts.query or parts.fragment or parts.username is not None:
        raise ValueError("it has more than a host, a port and a path")
    return url


def names_in(listed: str) -> list[str]:
    """What a setting lists, separated by commas."""
    return [name.strip() for name in listed.split(",") if name.strip()]


class GatewaySettings(
    ApiSettings,
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
    expected_services: str = Field(
        default="", description="names of the services that should run; filled in by Foldline"
    )

    allowed_hosts: str = Field(
        default="", description="host names, separated by commas, that the gateway serves besides localhost"
    )
    picture_hosts: str = Field(
        default="",
        description="host names, separated by commas, whose pictures chats load without asking the person",
    )
    public_url: Annotated[
        str | None,
        AfterValidator(_an_origin),
        AllowedValues(
            "the beginning of an address: `https://` and a host, or `http://` and one of this machine, "
            "with the path that a proxy has put Foldline below"
        ),
    ] = Field(
        default=None,
        description="where other machines find the gateway, for links and logins at MCP servers; "
        "https://foldline.example.org",
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

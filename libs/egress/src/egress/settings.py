"""What an operator says about the way out, and where Foldline's own gateway is."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from agent_platform.settings.settings import BaseSettings, Port
from agent_platform.settings.shared import ServiceSettings
from agent_platform.settings.sources import AllowedValues

LEAST_TOKEN = 16
"""Characters: fewer can be guessed."""
NO_TOKEN = "off"
"""As the token: none is asked for. Only on a loopback address."""


def _hard_to_guess(token: SecretStr | None) -> SecretStr | None:
    said = NO_TOKEN if token is None else token.get_secret_value()
    if said != NO_TOKEN and len(said) < LEAST_TOKEN:
        raise ValueError(f"it has {len(said)} characters")
    return token


_EVERYWHERE = ("0.0.0.0", "::")


class GatewayPortSettings(BaseSettings):
    """Where the gateway listens: itself, and those who must not be led there."""

    port: Port = Field(default=8420, description="the gateway's port; the next free one if it is taken")


class ApiSettings(ServiceSettings, GatewayPortSettings):
    """Where the gateway is, and the token with which it is asked: the person's, or a program's own."""

    token: Annotated[
        SecretStr | None,
        AfterValidator(_hard_to_guess),
        AllowedValues(
            f"`{NO_TOKEN}`, or at least {LEAST_TOKEN} characters, as `openssl rand -hex 16` prints"
        ),
    ] = Field(
        default=None, description="gateway's token; made at the first start. `off`: none, on 127.0.0.1 only"
    )

    @property
    def api_url(self) -> str:
        """Where a process on this machine finds the gateway."""
        host = "127.0.0.1" if self.host in _EVERYWHERE else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


class EgressSettings(ServiceSettings, GatewayPortSettings):
    """Where tools may go, besides the public internet, and where never: to our own servers."""

    egress_private_hosts: str = Field(
        default="",
        description="private hosts that tools may reach, separated by commas: host, host:port or a.b.c.d/n",
    )
    egress_through_proxy: bool = Field(
        default=False,
        description="whether tools that fetch and search use the proxy of HTTP_PROXY or ALL_PROXY",
    )
    egress_refused_hosts: str = Field(
        default="",
        description="host:port, separated by commas, that tools never reach, besides our own servers",
    )

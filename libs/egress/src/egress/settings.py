"""What an operator says about the way out."""

from pydantic import Field

from agent_platform.settings.settings import BaseSettings, Port
from agent_platform.settings.shared import ServiceSettings


class GatewayPortSettings(BaseSettings):
    """Where the gateway listens: itself, and those who must not be led there."""

    port: Port = Field(default=8420, description="the gateway's port; the next free one if it is taken")


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

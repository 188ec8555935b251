"""What a host of foreign servers is told."""

from pydantic import Field

from agent_domain.secrets.settings import SecretsSettings
from agent_platform.settings.settings import Seconds
from agent_tools.hosting.settings import WorkerSettings
from egress.settings import EgressSettings
from mcp_host.limits import HELD_S, IDLE_S


class McpHostSettings(EgressSettings, SecretsSettings, WorkerSettings):
    """Where servers may be, and for how long a connection, and a question, lasts."""

    mcp_idle: Seconds = Field(
        default=IDLE_S, description="seconds without a call after which an MCP server's connection is closed"
    )
    mcp_held: Seconds = Field(
        default=HELD_S,
        le=HELD_S,
        description="seconds that a person has to answer a server which keeps its call open meanwhile",
    )

"""What the services are called: on the command line, as containers, as programs to start or stop.

Each declares itself under its name (`ServiceDeclaration.name`); in events it is `/` and the name
(`agent_contracts.event_sources`).
"""

from collections.abc import Mapping
from typing import Final

GATEWAY: Final = "gateway"
ENGINE: Final = "engine"
MODEL_CALLER: Final = "model-caller"
RUNNER: Final = "runner"
BROWSER_POOL: Final = "browser-pool"
WORKSPACE_HOST: Final = "workspace-host"
MCP_HOST: Final = "mcp-host"
SCHEDULER: Final = "scheduler"
PROJECTOR: Final = "projector"
NOTIFIER: Final = "notifier"

OURS: Final[Mapping[str, str]] = {
    GATEWAY: "gateway",
    ENGINE: "session_engine",
    MODEL_CALLER: "model_caller",
    RUNNER: "tool_runner",
    BROWSER_POOL: "browser_pool",
    WORKSPACE_HOST: "workspace_host",
    MCP_HOST: "mcp_host",
    SCHEDULER: "scheduler",
    PROJECTOR: "projector",
    NOTIFIER: "notifier",
}
"""Foldline's own, with the package that declares each. Any other service is somebody else's, one of the same
name from another package included, and nothing depends on it."""

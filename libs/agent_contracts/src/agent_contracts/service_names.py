"""What the services are called: on the command line, as containers, as programs to start or stop.

Each declares itself under its name (`ServiceDeclaration.name`); in events it is `/` and the name
(`agent_contracts.event_sources`).
"""

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

OURS: Final = frozenset(
    {
        GATEWAY,
        ENGINE,
        MODEL_CALLER,
        RUNNER,
        BROWSER_POOL,
        WORKSPACE_HOST,
        MCP_HOST,
        SCHEDULER,
        PROJECTOR,
        NOTIFIER,
    }
)
"""Foldline's own. Any other service is somebody else's, and nothing depends on it."""

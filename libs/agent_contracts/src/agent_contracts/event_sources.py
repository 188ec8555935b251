"""Who writes events, and in whose name: the services as they sign them, and people, agents, services."""

from collections.abc import Mapping
from enum import StrEnum


class Actor(StrEnum):
    """Who caused an event."""

    USER = "user"
    AGENT = "agent"
    SERVICE = "service"


GATEWAY, ENGINE, MODEL_CALLER, RUNNER = "/gateway", "/engine", "/model-caller", "/runner"
BROWSER_POOL = "/browser-pool"
WORKSPACE_HOST = "/workspace-host"
MCP_HOST = "/mcp-host"
SCHEDULER = "/scheduler"
PROJECTOR = "/projector"
"""What the services call themselves in the events that they write (`ServiceDeclaration.source`)."""
OPERATOR = "/foldline"
"""The command line, where it works on the log itself, to erase something."""

Writers = Mapping[str, frozenset[Actor]]
"""The sources that may write something, each with those in whose name it may."""

USER = frozenset({Actor.USER})
AGENT = frozenset({Actor.AGENT})
SERVICE = frozenset({Actor.SERVICE})
ANYONE = frozenset(Actor)

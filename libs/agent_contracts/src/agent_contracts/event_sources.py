"""Who writes events, and in whose name: the services as they sign them, and people, agents, services."""

from collections.abc import Mapping
from enum import StrEnum

from agent_contracts import service_names


class Actor(StrEnum):
    """Who caused an event."""

    USER = "user"
    AGENT = "agent"
    SERVICE = "service"


GATEWAY = f"/{service_names.GATEWAY}"
ENGINE = f"/{service_names.ENGINE}"
MODEL_CALLER = f"/{service_names.MODEL_CALLER}"
RUNNER = f"/{service_names.RUNNER}"
BROWSER_POOL = f"/{service_names.BROWSER_POOL}"
WORKSPACE_HOST = f"/{service_names.WORKSPACE_HOST}"
MCP_HOST = f"/{service_names.MCP_HOST}"
SCHEDULER = f"/{service_names.SCHEDULER}"
PROJECTOR = f"/{service_names.PROJECTOR}"
"""The services' names in the events that they write (`ServiceDeclaration.source`)."""
OPERATOR = "/foldline"
"""The command line, where it works on the log itself, to erase something."""

Writers = Mapping[str, frozenset[Actor]]
"""The sources that may write something, each with those in whose name it may."""

USER = frozenset({Actor.USER})
AGENT = frozenset({Actor.AGENT})
SERVICE = frozenset({Actor.SERVICE})
ANYONE = frozenset(Actor)

"""Entity events: each is the whole current value of one thing an agent has (`agt.<aid>.<kind>.<name>`)."""

from enum import StrEnum

from agent_contracts.event import Event
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources


class EntityKind(StrEnum):
    """What an agent can have."""

    # In the order in which people see it. Each has a file in `agent_contracts.kinds`, which says the rest.
    AGENT = "agent"
    PROMPT = "prompt"
    NOTES = "notes"
    NOTEPAD = "notepad"
    PLAN = "plan"
    STATE = "state"
    TOOL = "tool"
    FUNCTION = "function"
    LIBRARY = "library"
    COMPONENT = "component"
    SKILL = "skill"
    PLAYBOOK = "playbook"
    FILE = "file"
    PATH = "path"
    INBOX = "inbox"
    REMINDER = "reminder"
    SCHEDULE = "schedule"
    RUN = "run"
    SETTING = "setting"
    SECRET = "secret"
    ERASED = "erased"
    POLICY = "policy"
    MCP_SERVER = "mcp_server"
    MCP_TOOLS = "mcp_tools"
    CALL = "call"
    REWIND = "rewind"
    BISECTION = "bisection"
    MODEL_ADAPTATIONS = "model_adaptations"


class EntityWritten(Event, frozen=True, tag="foldline.agent.entity_written.v1"):
    """The entity's value from here on."""

    kind: EntityKind
    """Kind of the entity, such as `skill`."""
    name: str
    """Its name, unique within its kind."""
    value: Json
    """The whole value: any JSON."""
    version: int
    """The number of the version, from 1. Numbers start again at 1 after a deletion."""
    session_id: SessionId | None = None
    """Id of the session in which the agent wrote it; null: a person or a service did."""
    call_id: CallId | None = None
    """Id of the tool call by which the agent wrote it; null: a person or a service did."""
    replaced: int | None = None
    """Number of the event that wrote the version before it; null: there was none."""
    outside: Sources = ()
    """Sources of outside material that its writer had read by then. Each read of it has them too."""


class EntityDeleted(Event, frozen=True, tag="foldline.agent.entity_deleted.v1"):
    """The entity is gone from here on; its earlier versions stay readable."""

    kind: EntityKind
    """Kind of the entity, such as `skill`."""
    name: str
    """Its name, unique within its kind."""
    session_id: SessionId | None = None
    """Id of the session in which the agent deleted it; null: a person or a service did."""
    call_id: CallId | None = None
    """Id of the tool call by which the agent deleted it; null: a person or a service did."""
    replaced: int | None = None
    """Number of the event that wrote the last version."""
    outside: Sources = ()
    """Sources of outside material that its deleter had read by then."""


EntityEvent = EntityWritten | EntityDeleted
"""Everything that can stand on an entity's subject."""

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
    """The entity's value from here on.

    `version` starts at 1 and grows by 1 (again from 1 after a deletion); `replaced` is the sequence of
    the event this one replaced; `session_id` and `call_id` say who wrote it, both absent for a user's edit.
    `outside`: where material came from that its writer had; each read of it has it, too.
    """

    kind: EntityKind
    name: str
    value: Json
    version: int
    session_id: SessionId | None = None
    call_id: CallId | None = None
    replaced: int | None = None
    outside: Sources = ()


class EntityDeleted(Event, frozen=True, tag="foldline.agent.entity_deleted.v1"):
    """The entity is gone from here on; its earlier versions stay readable.

    `outside`: where material came from that whoever deleted it had.
    """

    kind: EntityKind
    name: str
    session_id: SessionId | None = None
    call_id: CallId | None = None
    replaced: int | None = None
    outside: Sources = ()


EntityEvent = EntityWritten | EntityDeleted
"""Everything that can stand on an entity's subject."""

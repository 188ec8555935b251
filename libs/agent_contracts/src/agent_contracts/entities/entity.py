"""Entity events: each is the whole current value of one thing an agent has (`agt.<aid>.<kind>.<name>`)."""

from enum import StrEnum

from agent_contracts.event import Event
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources


class EntityKind(StrEnum):
    """What an agent can have."""

    # A new kind needs more than its name: docs/where-to-change.md has the list.
    AGENT = "agent"
    PROMPT = "prompt"
    NOTES = "notes"
    STATE = "state"
    TOOL = "tool"
    FUNCTION = "function"
    LIBRARY = "library"
    COMPONENT = "component"
    SKILL = "skill"
    NOTEPAD = "notepad"
    PLAN = "plan"
    """What one session is about to do: see `agent_texts.plan_of`."""
    PLAYBOOK = "playbook"
    FILE = "file"
    PATH = "path"
    """That a file's path is taken, by which file (see `files`)."""
    REMINDER = "reminder"
    SCHEDULE = "schedule"
    RUN = "run"
    """What became of a schedule's due times (see `schedules`)."""
    INBOX = "inbox"
    """A wake from another service that waits to be looked at (see `wakes`)."""
    SETTING = "setting"
    SECRET = "secret"
    ERASED = "erased"
    """What was erased: a session by its id, or the whole agent by its own (`erasures.Erasure`)."""
    POLICY = "policy"
    """What the agent may do: only people write it (see `policies`)."""
    MCP_SERVER = "mcp_server"
    """A foreign server of tools: only people write it (see `mcp_servers`)."""
    MCP_TOOLS = "mcp_tools"
    """What a foreign server says of its tools, by the server's name (see `mcp_tools`)."""
    CALL = "call"
    """A function's call under an idempotency key, by its id (see `function_calls`)."""
    REWIND = "rewind"
    """What of the agent goes back to an earlier event, by the agent's id (see `rewinds`)."""
    BISECTION = "bisection"
    """A search for the event that spoilt the agent, by its id (see `bisections`)."""
    MODEL_ADAPTATIONS = "model_adaptations"
    """What is changed in requests to a model (see `model_adaptations`). The installation's."""


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

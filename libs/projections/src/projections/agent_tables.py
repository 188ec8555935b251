"""The rows of sql/agents.sql as data."""

from datetime import datetime

from projections.table import JsonText, Row, Table


class Made(Row, frozen=True):
    """What every row of something that an agent has says: whose it is, and which event made it so."""

    agent_id: str
    version: int
    sequence: int
    actor: str
    session_id: str | None
    call_id: str | None
    modified_on: datetime


class AgentRow(Made, frozen=True):
    """One agent."""

    name: str
    created_on: datetime


class ConfigRow(Made, frozen=True):
    """What one agent works by: its prompt and its notes. `version` counts the edits of both."""

    system_prompt: str | None = None
    learned_notes: str | None = None
    prompt_version: int = 0
    notes_version: int = 0


class ConfigHistoryRow(Row, frozen=True):
    """One edit of an agent's prompt or notes."""

    agent_id: str
    version: int
    changed: str
    system_prompt: str | None
    learned_notes: str | None
    entity_version: int
    sequence: int
    actor: str
    session_id: str | None
    call_id: str | None
    created_on: datetime


class Named(Made, frozen=True):
    """Something that an agent has under a name, since the time of its version 1."""

    name: str
    created_on: datetime


class ToolRow(Named, frozen=True):
    """One tool, or one function."""

    description: str
    parameter_schema: JsonText
    code: str
    enabled: bool


class LibraryRow(Named, frozen=True):
    """One library."""

    description: str
    code: str


class ComponentRow(Named, frozen=True):
    """One UI component."""

    description: str
    code: str
    props_schema: JsonText | None


class SkillRow(Named, frozen=True):
    """One skill."""

    description: str
    content: str
    tags: JsonText
    enabled: bool


class NoteRow(Named, frozen=True):
    """One session's notepad; its name is the session's id."""

    text: str


class PlanRow(Named, frozen=True):
    """One session's plan; its name is the session's id."""

    text: str


class PlaybookRow(Named, frozen=True):
    """One playbook."""

    description: str
    workflow: JsonText
    initial_command: str
    success_criteria: str


class FileRow(Named, frozen=True):
    """The current version of a file; its name is its id. `workspace_id`: the session whose it is, if any."""

    path: str
    media_type: str
    size: int
    blob: str
    scope: str
    workspace_id: str | None
    source: str
    made_from: str | None
    forked_from: str | None


class ReminderRow(Named, frozen=True):
    """A reminder; its name is its id, `reminds` the session that is told, `again` a JSON text."""

    reminds: str
    due_on: datetime
    message: str
    done: str | None
    again: str | None
    quiet: bool


class ScheduleRow(Named, frozen=True):
    """A scheduled task; its name is its id, `title` what people call it."""

    title: str
    task: str
    due_on: datetime | None
    cron: str | None
    timezone: str
    model: str | None
    token_limit: int | None
    misfire: str
    overlap: str
    enabled: bool
    paused_because: str | None


class RunRow(Made, frozen=True):
    """The last that is told of one due time of a scheduled task; `ran_in` is the session that it made."""

    schedule_id: str
    due_on: datetime
    by_hand: bool
    outcome: str
    ran_in: str | None
    reason: str | None
    failures: int


class InboxRow(Named, frozen=True):
    """A wake that waits in an inbox; its name is its id, `meant_for` the session that it named."""

    source: str
    wake_id: str
    wake_type: str | None
    message: str
    data: JsonText
    meant_for: str | None
    priority: str
    arrived_on: datetime
    kept_until: datetime


class StateRow(Made, frozen=True):
    """One value of an agent's state."""

    key: str
    value: JsonText


AGENTS = Table("agents", AgentRow, ("agent_id",))
AGENT_CONFIG = Table("agent_config", ConfigRow, ("agent_id",))
AGENT_CONFIG_HISTORY = Table("agent_config_history", ConfigHistoryRow, ("agent_id", "version"), appended=True)
AGENT_TOOLS = Table("agent_tools", ToolRow, ("agent_id", "name"))
FUNCTIONS = Table("functions", ToolRow, ("agent_id", "name"))
LIBRARIES = Table("libraries", LibraryRow, ("agent_id", "name"))
AGENT_UI_COMPONENTS = Table("agent_ui_components", ComponentRow, ("agent_id", "name"))
SKILLS = Table("skills", SkillRow, ("agent_id", "name"))
NOTES = Table("notes", NoteRow, ("agent_id", "name"))
PLANS = Table("plans", PlanRow, ("agent_id", "name"))
PLAYBOOKS = Table("playbooks", PlaybookRow, ("agent_id", "name"))
FILES = Table("files", FileRow, ("agent_id", "name"))
REMINDERS = Table("reminders", ReminderRow, ("agent_id", "name"))
SCHEDULES = Table("schedules", ScheduleRow, ("agent_id", "name"))
SCHEDULE_RUNS = Table("schedule_runs", RunRow, ("agent_id", "schedule_id", "due_on", "by_hand"))
INBOX = Table("inbox", InboxRow, ("agent_id", "name"))
AGENT_STATE = Table("agent_state", StateRow, ("agent_id", "key"))

AGENT_TABLES = (
    AGENTS,
    AGENT_CONFIG,
    AGENT_CONFIG_HISTORY,
    AGENT_TOOLS,
    FUNCTIONS,
    LIBRARIES,
    AGENT_UI_COMPONENTS,
    SKILLS,
    NOTES,
    PLANS,
    PLAYBOOKS,
    FILES,
    REMINDERS,
    SCHEDULES,
    SCHEDULE_RUNS,
    INBOX,
    AGENT_STATE,
)

"""The rows of sql/sessions.sql as data. A `place` is where an event stands: see `Address.place`."""

from datetime import datetime
from typing import Any

import msgspec

from agent_contracts.sessions.open_questions import kind_of
from projections.table import JsonText, ProjectedTable, Row


class SessionRow(Row, frozen=True):
    """One session, as far as its newest event."""

    session_id: str
    agent_id: str
    parent_id: str | None
    parent_call_id: str | None
    depth: int
    title: str | None
    status: str
    model: str | None
    token_limit: int
    created_at: datetime
    active_at: datetime
    updated_at: datetime
    last_sequence: int
    usage: JsonText
    model_call_count: int = 0
    waiting_calls: JsonText = JsonText("[]")
    open_model_call: str | None = None
    cut_model_call: str | None = None
    error_kind: str | None = None
    error_message: str | None = None
    failed_turn: JsonText | None = None
    newest_model_call: str | None = None
    begun_by: JsonText | None = None
    pinned: bool = False
    thinking_effort: str | None = None
    thinking_budget: int | None = None
    stage_count: int = 0
    forked_from_id: str | None = None
    forked_from_sequence: int | None = None
    forked_place: int | None = None
    inherited: JsonText = JsonText("[]")
    rewinds: JsonText = JsonText("[]")
    segments: JsonText = JsonText("[]")
    queued: JsonText = JsonText("[]")
    attention_place: int | None = None
    woken: bool = False


class StageRow(Row, frozen=True):
    """What a session was from the event at `place` on, until its next stage."""

    session_id: str
    number: int
    place: int
    status: str
    title: str | None
    model_call_id: str | None
    thinking_effort: str | None = None
    thinking_budget: int | None = None


class MessageRow(Row, frozen=True):
    """One message of a chat."""

    session_id: str
    place: int
    role: str
    text: str
    time: datetime
    model_call_id: str | None
    body: JsonText
    rating: str | None = None
    rating_text: str | None = None


class ToolCallRow(Row, frozen=True):
    """One tool call, from the model's wish to its one ending."""

    session_id: str
    call_id: str
    model_call_id: str | None
    position: int
    message_place: int | None
    tool: str
    arguments: JsonText
    status: str
    effect: str | None
    runs_on: str | None
    result: JsonText | None = None
    error: JsonText | None = None
    show: JsonText | None = None
    excerpt: JsonText | None = None
    outside: JsonText | None = None
    answer: JsonText | None = None
    runner: str | None = None
    accounting: JsonText | None = None
    requested_place: int | None = None
    result_place: int | None = None
    requested_at: datetime | None = None
    finished_at: datetime | None = None
    as_sent: JsonText | None = None

    @property
    def shows(self) -> str | None:
        """The kind of what it put before a person."""
        return kind_of(msgspec.json.decode(self.show, type=dict[str, Any])) if self.show else None


class ModelCallRow(Row, frozen=True):
    """One model call, from its request to its one ending."""

    session_id: str
    call_id: str
    number: int
    model: str | None
    requested_place: int
    requested_at: datetime
    purpose: str = "turn"
    status: str = "requested"
    result_place: int | None = None
    text: str | None = None
    usage: JsonText | None = None
    latency_ms: int | None = None
    first_token_ms: int | None = None
    attempts: int | None = None
    finish_reason: str | None = None
    cut: str | None = None
    context: str | None = None
    error: JsonText | None = None
    finished_at: datetime | None = None


class ErasureRow(Row, frozen=True):
    """A session, or an agent, that was erased."""

    name: str
    agent_id: str
    sequence: int


SESSIONS = ProjectedTable("sessions", SessionRow, ("session_id",))
STAGES = ProjectedTable("stages", StageRow, ("session_id", "number"))
MESSAGES = ProjectedTable("messages", MessageRow, ("session_id", "place"))
TOOL_CALLS = ProjectedTable("tool_calls", ToolCallRow, ("session_id", "call_id"))
MODEL_CALLS = ProjectedTable("model_calls", ModelCallRow, ("session_id", "call_id"))
ERASURES = ProjectedTable("erasures", ErasureRow, ("name",))

SESSION_TABLES = (SESSIONS, STAGES, MESSAGES, TOOL_CALLS, MODEL_CALLS)

OPEN_CALLS = frozenset({"planned", "requested", "running", "pending"})
"""The `status` of a tool call that has no ending yet."""

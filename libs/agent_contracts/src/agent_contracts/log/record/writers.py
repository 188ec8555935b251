"""Who may write which event, in whose name. What NATS lets a service publish enforces the first half of it;
whoever reads holds every event to both (`fitting`)."""

from typing import get_args

from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.entity import EntityDeleted, EntityWritten
from agent_contracts.event import Event
from agent_contracts.event_sources import (
    AGENT,
    ANYONE,
    BROWSER_POOL,
    ENGINE,
    GATEWAY,
    MCP_HOST,
    MODEL_CALLER,
    OPERATOR,
    PROJECTOR,
    RUNNER,
    SCHEDULER,
    SERVICE,
    USER,
    WORKSPACE_HOST,
    Writers,
)
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.record.session_subjects import answers_its_own_tool
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.inputs import Input

_BY_PEOPLE = (
    inputs.ToolResponse,
    inputs.ThinkingChanged,
    inputs.Renamed,
    inputs.Pinned,
    inputs.Feedback,
    inputs.RewindRequested,
)
_BY_SCHEDULER = (inputs.UserMessage, inputs.ReminderDue)
_BY_ENGINE = (inputs.TimerDue, inputs.ChildFinished)
_MODEL_RESULTS = (results.ModelCallCompleted, results.ModelCallFailed)

TOOL_WORKERS = {"tool": RUNNER, "browser": BROWSER_POOL, "workspace": WORKSPACE_HOST, "mcp": MCP_HOST}
"""The workers that run tools: as what each offers results, and what it calls itself in them. A new kind of
worker has a line here."""

_BY_WORKERS: Writers = dict.fromkeys(TOOL_WORKERS.values(), SERVICE)

_ROWS: tuple[tuple[tuple[type[Event], ...], Writers], ...] = (
    (get_args(Input), {GATEWAY: USER | SERVICE, ENGINE: USER | SERVICE}),
    (_BY_SCHEDULER, {GATEWAY: USER | SERVICE, ENGINE: USER | SERVICE, SCHEDULER: SERVICE}),
    (_BY_PEOPLE, {GATEWAY: USER}),
    (_BY_ENGINE, {ENGINE: SERVICE}),
    ((inputs.Created,), {GATEWAY: USER, ENGINE: USER | SERVICE, SCHEDULER: SERVICE}),
    ((inputs.Woken,), {SCHEDULER: SERVICE, GATEWAY: USER}),
    ((inputs.Archived,), {GATEWAY: USER, ENGINE: SERVICE, OPERATOR: USER, PROJECTOR: USER}),
    (get_args(Decision), {ENGINE: ANYONE}),
    (_MODEL_RESULTS, {MODEL_CALLER: AGENT, ENGINE: SERVICE}),
    (get_args(results.ToolCallEnd), {**_BY_WORKERS, ENGINE: SERVICE}),
    ((results.CallClaimed,), _BY_WORKERS),
    ((DatabaseWritten,), {RUNNER: AGENT}),
    ((DatabaseRestored,), {ENGINE: USER, RUNNER: AGENT}),
)
_BY_TYPE = {event_type: writers for types, writers in _ROWS for event_type in types}
"""The last row that names a type counts."""


def writers_of(event: Event) -> Writers:
    """Who may write such an event; of an entity, as its kind declares it."""
    if isinstance(event, EntityWritten | EntityDeleted):
        return KINDS[event.kind].writers
    if answers_its_own_tool(event):
        return {ENGINE: ANYONE}
    return _BY_TYPE[type(event)]

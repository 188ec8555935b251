"""Who may write which event, in whose name. What NATS lets a service publish enforces the first half of it;
whoever reads holds every event to both (`agent_platform.log.decoding`)."""

from collections.abc import Mapping
from typing import get_args

from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind, EntityWritten
from agent_contracts.entities.rewinds import WRITTEN_BY_REWINDS
from agent_contracts.event import Event
from agent_contracts.log.envelope import Actor
from agent_contracts.log.event_subjects import answers_its_own_tool
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.inputs import Input

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

_USER = frozenset({Actor.USER})
_AGENT = frozenset({Actor.AGENT})
_SERVICE = frozenset({Actor.SERVICE})
_ANYONE = frozenset(Actor)

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
_TOOL_RESULTS = (results.ToolCallCompleted, results.ToolCallFailed, results.ToolCallPending)

TOOL_WORKERS = {"tool": RUNNER, "browser": BROWSER_POOL, "workspace": WORKSPACE_HOST, "mcp": MCP_HOST}
"""The workers that run tools: as what each offers results, and what it calls itself in them. A new kind of
worker has a line here."""

_BY_WORKERS: Writers = dict.fromkeys(TOOL_WORKERS.values(), _SERVICE)

_ROWS: tuple[tuple[tuple[type[Event], ...], Writers], ...] = (
    (get_args(Input), {GATEWAY: _USER | _SERVICE, ENGINE: _USER | _SERVICE}),
    (_BY_SCHEDULER, {GATEWAY: _USER | _SERVICE, ENGINE: _USER | _SERVICE, SCHEDULER: _SERVICE}),
    (_BY_PEOPLE, {GATEWAY: _USER}),
    (_BY_ENGINE, {ENGINE: _SERVICE}),
    ((inputs.Created,), {GATEWAY: _USER, ENGINE: _USER | _SERVICE, SCHEDULER: _SERVICE}),
    ((inputs.Woken,), {SCHEDULER: _SERVICE, GATEWAY: _USER}),
    ((inputs.Archived,), {GATEWAY: _USER, ENGINE: _SERVICE, OPERATOR: _USER, PROJECTOR: _USER}),
    (get_args(Decision), {ENGINE: _ANYONE}),
    (_MODEL_RESULTS, {MODEL_CALLER: _AGENT, ENGINE: _SERVICE}),
    (_TOOL_RESULTS, {**_BY_WORKERS, ENGINE: _SERVICE}),
    ((results.CallClaimed,), _BY_WORKERS),
    (get_args(EntityEvent), {GATEWAY: _ANYONE, RUNNER: _ANYONE}),
    ((DatabaseWritten,), {RUNNER: _AGENT}),
    ((DatabaseRestored,), {ENGINE: _USER, RUNNER: _AGENT}),
)
_BY_TYPE = {event_type: writers for types, writers in _ROWS for event_type in types}
"""The last row that names a type counts."""

_REWOUND: Writers = {**_BY_TYPE[EntityWritten], ENGINE: _USER}
"""Engines complete rewinds, in the name of the person who asked."""
_COPIED: Writers = {**_BY_TYPE[EntityWritten], ENGINE: _ANYONE}
"""A fork gets copies of them."""
_FILES: Writers = {
    **_COPIED,
    BROWSER_POOL: _AGENT,
    WORKSPACE_HOST: _AGENT,
    MCP_HOST: _AGENT,
    MODEL_CALLER: _AGENT,
}
"""A browser's downloads and screenshots; what commands made; what foreign servers send; what is too long to
be shown whole."""
_SCHEDULED: Writers = {**_REWOUND, SCHEDULER: _SERVICE}
"""A reminder that came due, a schedule that pauses itself."""
_OF_KIND: Mapping[EntityKind, Writers] = {
    **dict.fromkeys(WRITTEN_BY_REWINDS, _REWOUND),
    EntityKind.NOTEPAD: _COPIED,
    EntityKind.PLAN: _COPIED,
    EntityKind.FILE: _FILES,
    EntityKind.PATH: _FILES,
    EntityKind.INBOX: _SCHEDULED,
    EntityKind.REMINDER: _SCHEDULED,
    EntityKind.SCHEDULE: _SCHEDULED,
    EntityKind.POLICY: {GATEWAY: _USER, ENGINE: _USER},
    EntityKind.MCP_SERVER: {GATEWAY: _USER, ENGINE: _USER},
    EntityKind.MCP_TOOLS: {MCP_HOST: _SERVICE},
    EntityKind.CALL: {**_BY_TYPE[EntityWritten], MCP_HOST: _SERVICE},
    EntityKind.RUN: {GATEWAY: _USER, SCHEDULER: _SERVICE},
    EntityKind.ERASED: {GATEWAY: _USER, PROJECTOR: _USER, OPERATOR: _USER},
    EntityKind.REWIND: {GATEWAY: _USER, ENGINE: _USER},
    EntityKind.BISECTION: {GATEWAY: _USER},
    EntityKind.MODEL_ADAPTATIONS: {MODEL_CALLER: _SERVICE, GATEWAY: _USER},
}


def writers_of(event: Event) -> Writers:
    """Who may write such an event."""
    if isinstance(event, _TOOL_RESULTS) and answers_its_own_tool(event):
        return {ENGINE: _ANYONE}
    if isinstance(event, EntityWritten | EntityDeleted):
        return _OF_KIND.get(event.kind, _BY_TYPE[type(event)])
    return _BY_TYPE[type(event)]

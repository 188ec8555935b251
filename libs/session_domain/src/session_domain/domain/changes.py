"""What an event changes of a session."""

from typing import Literal, TypedDict

from pyrsistent import PVector

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.outside import Sources
from agent_contracts.policies import Grant
from agent_contracts.prompt_modes import PromptMode
from agent_contracts.session_events.inputs import BegunBy
from agent_contracts.session_events.results import Usage
from agent_contracts.thinking_choice import ThinkingChoice
from session_domain.domain.messages import SessionMessage, SessionToolCall, Shadow
from session_domain.domain.state import (
    ChildState,
    FatalFailure,
    OpenModelCall,
    Quarantine,
    RequestSources,
    SessionLimits,
    Task,
    TurnFailure,
    WantedRewind,
)
from session_domain.domain.window import KnownWindow


class SessionChanges(TypedDict, total=False):
    """Fields of `SessionState` and their new values, applied at once: a replaced struct is copied whole.

    What every event moves is not among them: its place (`position`, `last_sequence`, `rest_sequence`), and
    the `status`, which `statuses` tells.
    """

    agent_id: AgentId
    title: str | None
    model: str | None
    thinking: ThinkingChoice | None
    parent_id: SessionId | None
    parent_call_id: CallId | None
    depth: int
    begun_by: BegunBy | None
    mode: PromptMode | None
    token_limit: int
    limits: SessionLimits
    totals: Usage
    turn_began: str | None
    told_time: str | None
    queue: tuple[SessionMessage, ...]
    history: PVector[SessionMessage]
    batch: tuple[SessionToolCall, ...]
    answered: bool
    cut_off: bool
    model_call: OpenModelCall | None
    cut_call: OpenModelCall | None
    model_calls: int
    shadows: tuple[Shadow, ...]
    tasks: tuple[Task, ...]
    context_tokens: int
    least_input: int
    window: KnownWindow
    refusals: int
    full_again: int
    compacting: Literal["warned", "summarised", "too_long"] | None
    kept_messages: int
    summary: str | None
    summarised: int | None
    children: tuple[ChildState, ...]
    reported: str | None
    owes_report: bool
    report_asked: bool
    rewinds: tuple[WantedRewind, ...]
    expired: tuple[CallId, ...]
    running_since: str | None
    ran_ms: int
    failure: FatalFailure | None
    failed_turn: TurnFailure | None
    failures: int
    retrying: bool
    refused_tools: tuple[Quarantine, ...]
    quarantined: tuple[Quarantine, ...]
    interrupting: bool
    archiving: bool
    thinks: bool
    grants: tuple[Grant, ...]
    outside: Sources
    told: RequestSources | None
    telling: RequestSources | None
    refused: tuple[int, ...]

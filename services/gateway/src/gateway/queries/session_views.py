"""Sessions, as people look at them."""

from typing import Literal

from pydantic import Field

from agent_contracts.sessions.session_view import SessionStatus
from agent_contracts.thinking_choice import Effort
from gateway.queries.call_views import ToolCall
from gateway.queries.view import Usage, View


class Related(View):
    """Another session that has to do with this one."""

    id: str
    title: str | None
    status: SessionStatus


class Child(Related):
    """A sub-session, made by tool call `call_id` of this one; `usage` is its own."""

    call_id: str | None
    usage: Usage


class ForkOf(Related):
    """A session that was forked from this one; its history goes up to event `at` of this one's."""

    at: int


class Relative(Related):
    """A session that has its history in common with this one, by forks. `forked_from_id` is null for the one
    that all of them go back to; else its own begins after event `at` of that session's."""

    forked_from_id: str | None
    at: int | None


class Found(View):
    """What a search found in a session: how many of its messages, and a piece of the newest of these."""

    messages: int
    snippet: str | None


class SessionError(View):
    """Why a session ended in error."""

    kind: str
    message: str


class TurnFailure(View):
    """Why the last turn of an idle session has no end, as event `failed_at` says.

    `retry_at`: when it goes on by itself, at the latest; null: only a person, or what is said next, goes on.
    `setting`: the cap on spending to raise, if one ended it.
    """

    failed_at: int
    kind: str
    message: str
    retryable: bool
    retry_at: str | None
    setting: str | None = None


class Beginner(View):
    """What began a session: a schedule, by its id, or a wake, by the name of the credentials behind it."""

    what: Literal["schedule", "wake"]
    name: str


class SessionThinking(View):
    """How hard a model thinks before it answers, and how many tokens that may take; null: as it does by
    default."""

    effort: Effort | None = None
    budget: int | None = None


class SessionSummary(View):
    """A session as the list shows it; `found` where it was searched for. `thinking` is null where it is as
    settings say. `begun_by` is null where a person or another session began it. `active_at`: when a person or
    the agent last said something; `updated_at`: when anything last happened.

    A fork's history begins with that of session `forked_from_id`, up to and including event `forked_from_at`.
    """

    id: str
    agent_id: str
    title: str | None
    status: SessionStatus
    model: str | None
    thinking: SessionThinking | None = None
    parent_id: str | None
    depth: int
    token_limit: int
    usage: Usage
    error: SessionError | None
    failed_turn: TurnFailure | None = None
    created_at: str
    active_at: str
    updated_at: str
    last_sequence: int
    forked_from_id: str | None = None
    forked_from_at: int | None = None
    begun_by: Beginner | None = None
    pinned: bool = False
    found: Found | None = None


class SessionNow(SessionSummary):
    """A session with what its agent is at, as the stream of events has it: all of it is the session's own.

    `queued`: the addresses of messages that no model call has read yet. `open_model_call` has no ending yet;
    `cut_model_call` was stopped, and hasn't told yet what it had said. `newest_model_call`: the one that was
    requested last, open or not.
    """

    queued: list[str] = Field(default=[])
    open_model_call: str | None = None
    cut_model_call: str | None = None
    newest_model_call: str | None = None


class Session(SessionNow):
    """A session with what is open in it, and the sessions around it.

    `usage_with_children` adds what its sub-sessions, and theirs, used. `family`: all that forks of
    forks have in common with it, itself included, oldest first. `parent` and `origin` (whose history
    a fork begins with) are null where there is none.
    """

    open_calls: list[ToolCall]
    children: list[Child]
    forks: list[ForkOf] = Field(default=[])
    family: list[Relative] = Field(default=[])
    parent: Related | None = None
    origin: Related | None = None
    usage_with_children: Usage | None = None


class Sessions(View):
    """A page, those first in which somebody spoke last. `next_cursor`: pass it back as `cursor`; null: there
    is no further page."""

    sessions: list[SessionSummary]
    next_cursor: str | None

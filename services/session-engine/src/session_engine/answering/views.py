"""A folded session, for people and programs."""

from typing import TypeVar

import msgspec

from agent_contracts.sessions.session_view import (
    FailedTurn,
    FoldedCall,
    FoldedChild,
    FoldedMessage,
    ForkOrigin,
    SessionFailure,
    SessionView,
    TokensUsed,
)
from session_domain.domain.messages import SessionMessage
from session_domain.domain.rules.failed_turns import is_woken
from session_domain.domain.rules.needs import least_token_limit
from session_domain.domain.state import SessionState, Status

_View = TypeVar("_View", bound=msgspec.Struct)


def session_view(
    state: SessionState, newest: int | None = None, beginnings: int | None = None
) -> SessionView:
    """Everything a session folds to that others may know; of its messages the `newest` only (None: all), or
    the `beginnings`, of so many characters."""
    messages = state.messages()
    earlier = 0 if newest is None else max(0, len(messages) - newest)
    return SessionView(
        session_id=state.session_id,
        agent_id=state.agent_id,
        status=(Status.RUNNING if state.status is Status.IDLE and is_woken(state) else state.status).value,
        title=state.title,
        model=state.model,
        thinking=state.thinking,
        parent_id=state.parent_id,
        depth=state.depth,
        token_limit=state.token_limit,
        least_token_limit=least_token_limit(state),
        usage=_viewed(state.totals, TokensUsed),
        error=None if state.failure is None else _viewed(state.failure, SessionFailure),
        failed_turn=_failed_turn(state),
        open_calls=tuple(_viewed(call, FoldedCall) for call in state.open_calls()),
        queue=tuple(_message(message, beginnings) for message in state.queue),
        messages=tuple(_message(message, beginnings) for message in messages[earlier:]),
        earlier=earlier,
        children=tuple(_viewed(child, FoldedChild) for child in state.children),
        forked_from=None if state.forked_from is None else _viewed(state.forked_from, ForkOrigin),
        last_sequence=state.last_sequence,
        rest_sequence=state.rest_sequence,
        events=state.position,
        model_calls=state.model_calls,
        outside=state.outside,
    )


def _message(message: SessionMessage, beginning: int | None) -> FoldedMessage:
    if beginning is None:
        return _viewed(message, FoldedMessage)
    return FoldedMessage(message.sequence, message.role, message.text[:beginning], quiet=message.quiet)


def _failed_turn(state: SessionState) -> FailedTurn | None:
    failed = state.failed_turn
    return None if failed is None or not failed.failed_sequence else _viewed(failed, FailedTurn)


def _viewed(folded: msgspec.Struct, view: type[_View]) -> _View:
    """A part of the fold as others see it: the same fields."""
    return msgspec.convert(folded, view, from_attributes=True)

"""What becomes of a request that was too long for its model: a shorter one, or the turn fails. Pure."""

from collections.abc import Sequence

from pyrsistent import PVector

from agent_contracts.session_events.results import CutText, ModelCallFailed
from session_domain.domain.changes import SessionChanges
from session_domain.domain.messages import SessionMessage
from session_domain.domain.rules.compaction import hidden_next
from session_domain.domain.rules.cutting import applied
from session_domain.domain.state import KEPT_MESSAGES, SessionState
from session_domain.domain.window import KnownWindow, refused

MOST_TRIES = 2
"""How many shorter requests a model is asked in a turn after it refused one as too long."""
KEPT_WHEN_TOO_LONG = 2
"""How many messages stay once a request was too long; one, where that doesn't help."""


def too_long(state: SessionState, event: ModelCallFailed) -> SessionChanges | None:
    """How the session goes on after the model under way refused the request; None where nothing is left to
    win. A request that was not sent, since it could not fit, is no try."""
    overflow, model_call = event.overflow, state.model_call
    if overflow is None or model_call is None:
        return None
    refusals = state.refusals + (event.attempts > 0)
    if refusals > MOST_TRIES:
        return None
    window = learned(state, event)
    changes: SessionChanges = {"model_call": None, "window": window, "refusals": refusals}
    if overflow.cuts:
        changes["history"] = _cut(state.history, overflow.cuts)
        changes["context_tokens"] = window.real(overflow.left)
    if model_call.purpose == "summary":
        if overflow.left >= overflow.counted:
            return None
        return {**changes, "compacting": "too_long"}
    if overflow.fits:
        return changes
    for kept in (KEPT_WHEN_TOO_LONG, 1):
        if hidden_next(state, kept):
            return {**changes, "compacting": "too_long", "kept_messages": kept}
    return changes if overflow.cuts else None


def learned(state: SessionState, event: ModelCallFailed) -> KnownWindow:
    """What is known of the window once the event is known."""
    return state.window if event.overflow is None else refused(state.window, event.model, event.overflow)


def _cut(history: PVector[SessionMessage], cuts: Sequence[CutText]) -> PVector[SessionMessage]:
    wanted = {cut.sequence for cut in cuts}
    for index, message in enumerate(history):
        if message.sequence in wanted:
            history = history.set(index, applied(message, cuts))
    return history


def given_up(state: SessionState, event: ModelCallFailed) -> SessionChanges:
    """The turn fails. What was learned stays; nothing is under way any more."""
    return {
        "window": learned(state, event),
        "compacting": None,
        "refusals": 0,
        "kept_messages": KEPT_MESSAGES,
    }

"""Compaction: older messages are hidden from the model behind a summary; people still see them."""

from agent_contracts.session_events import decisions as ev
from session_domain.domain.messages import SessionMessage, Shadow
from session_domain.domain.state import KEPT_MESSAGES, SessionState

THRESHOLD = 0.8
"""The part of a model's context window at which older messages are hidden."""
WORTH_AGAIN = KEPT_MESSAGES
"""How many more messages have to come before a second summary: a server that reports a nearly full window
whatever it is sent would otherwise cost a warning and a summary with each message."""
MOST_DOUBLED = 6
"""So often is that number doubled, once for each summary that left the window as full as before."""

WARNING = (
    "[Foldline] Your context is almost full. After this turn, everything but the newest messages is replaced "
    "by a summary. If there is something you must remember word for word, write it to your notepad now. Then "
    "answer with a short sentence."
)
SUMMARISE = (
    "[Foldline] Summarise the conversation above for yourself: what the user wants, what was decided and "
    "done, what is still open, and every fact, name, number and id that you will need. Answer with the "
    "summary alone."
)


def is_due(state: SessionState) -> bool:
    """Whether the next model call has to wait until older messages are hidden."""
    if state.compacting is not None or not seems_full(state, state.context_tokens):
        return False
    fewest = WORTH_AGAIN << min(state.full_again, MOST_DOUBLED) if _was_compacted(state) else 1
    return len(hidden_next(state)) >= fewest


def seems_full(state: SessionState, taken: int) -> bool:
    """Whether a model call that took so many tokens leaves too little of the window."""
    return state.window.tokens is not None and taken >= THRESHOLD * state.window.tokens


def full_again(state: SessionState, taken: int) -> int:
    """How many summaries in a row have left the window as full as before, after an answer that took so many
    tokens with its request."""
    first_since = bool(state.shadows) and state.context_tokens == 0
    if not first_since:
        return state.full_again
    return state.full_again + 1 if seems_full(state, taken) else 0


def _was_compacted(state: SessionState) -> bool:
    """Whether a summary hides the conversation's beginning already."""
    return bool(state.history) and covering(state, state.history[0].sequence) is not None


def hidden_next(state: SessionState, kept: int | None = None) -> list[SessionMessage]:
    """The messages that the next compaction hides: all that the model sees, but the newest `kept`."""
    return visible(state)[: -(kept or state.kept_messages)]


def visible(state: SessionState) -> list[SessionMessage]:
    """The messages of the history that no shadow covers."""
    return [message for message in state.messages() if covering(state, message.sequence) is None]


def covering(state: SessionState, sequence: int) -> Shadow | None:
    """The shadow that a message lies under: the last one made, where one covers another."""
    for shadow in reversed(state.shadows):
        if shadow.first <= sequence <= shadow.last:
            return shadow
    return None


def shadow(state: SessionState, summary: str) -> ev.MessagesShadowed:
    """The decision that hides them, as far as they are in the summary, and all that was hidden before."""
    last = state.summarised or hidden_next(state)[-1].sequence
    return ev.MessagesShadowed(first=state.history[0].sequence, last=last, summary=summary)

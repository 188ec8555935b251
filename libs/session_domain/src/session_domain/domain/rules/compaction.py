"""Compaction: older messages are hidden from the model behind a summary; people still see them."""

from agent_contracts.session_events import decisions as ev
from session_domain.domain.messages import Message, Shadow
from session_domain.domain.state import KEPT_MESSAGES, Session

THRESHOLD = 0.8
"""The part of a model's context window at which older messages are hidden."""
WORTH_AGAIN = KEPT_MESSAGES
"""How many more messages have to come before a second summary: a server that reports a nearly full window
whatever it is sent would otherwise cost a warning and a summary with each message."""
KEPT_WHEN_TOO_LONG = 2
"""How many stay once a provider refused the request as too long."""

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


def is_due(state: Session) -> bool:
    """Whether the next model call has to wait until older messages are hidden."""
    if state.compacting is not None or state.context_window is None:
        return False
    full = state.context_tokens >= THRESHOLD * state.context_window
    return full and len(hidden_next(state)) >= (WORTH_AGAIN if _was_compacted(state) else 1)


def _was_compacted(state: Session) -> bool:
    """Whether a summary hides the conversation's beginning already."""
    return bool(state.history) and covering(state, state.history[0].sequence) is not None


def hidden_next(state: Session) -> list[Message]:
    """The messages that the next compaction hides: all that the model sees, but the newest."""
    return visible(state)[: -state.kept_messages]


def visible(state: Session) -> list[Message]:
    """The messages of the history that no shadow covers."""
    return [message for message in state.messages() if covering(state, message.sequence) is None]


def covering(state: Session, sequence: int) -> Shadow | None:
    """The shadow that a message lies under: the last one made, where one covers another."""
    for shadow in reversed(state.shadows):
        if shadow.first <= sequence <= shadow.last:
            return shadow
    return None


def shadow(state: Session, summary: str) -> ev.MessagesShadowed:
    """The decision that hides them, and all that was hidden before them."""
    return ev.MessagesShadowed(
        first=state.history[0].sequence, last=hidden_next(state)[-1].sequence, summary=summary
    )

"""What streaming answers have come to so far, for those who begin to watch in the middle of one."""

import msgspec
from cachetools import LRUCache

from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.questions.queries import Delta, RetryNotice
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed

_MOST_SESSIONS = 1_000
_MOST_CHARACTERS = 1_000_000
_ABOUT_MODEL_CALLS = {type_of(one) for one in (ModelCallRequested, ModelCallCompleted, ModelCallFailed)}


class LiveAnswer(msgspec.Struct, frozen=True):
    """The answer of one attempt at a model call so far."""

    session_id: str
    call_id: str
    """Id of the model call."""
    attempt: int
    """The number of the attempt."""
    next: int
    """The `index` of the delta that follows."""
    text: str
    """The answer's text so far."""
    tools: tuple[str, ...]
    """Names of the tools that the answer calls so far."""
    gaps: bool
    """This gateway has not seen all of it, so a part may be missing."""
    retrying: RetryNotice | None = None
    """The attempt is about to begin again; null: it isn't."""
    thinking: str = ""
    """What the model thought so far."""
    prompt_read: int | None = None
    """Percent of the prompt that the model's server has read; null: unknown, or all."""


class LiveAnswers:
    """By session. Bounded: of very many or very long answers only the newest, or their end, is kept."""

    def __init__(self, sessions: int = _MOST_SESSIONS, characters: int = _MOST_CHARACTERS) -> None:
        self._characters = characters
        self._answers: LRUCache[str, LiveAnswer | str] = LRUCache(sessions)

    def of(self, session_id: str) -> LiveAnswer | None:
        """What the session's answer came to; None while none is being given."""
        answer = self._answers.get(session_id)
        return answer if isinstance(answer, LiveAnswer) else None

    def add(self, delta: Delta) -> None:
        """One more piece. A late one, of a call that has ended or of an earlier attempt, changes nothing."""
        known = self._answers.get(delta.session_id)
        if known == delta.call_id:
            return
        if not isinstance(known, LiveAnswer) or known.call_id != delta.call_id:
            known = None
        if known and (delta.attempt, delta.index) < (known.attempt, known.next):
            return
        if known and delta.attempt > known.attempt:
            known = None
        if delta.retrying is not None:
            begun = known is not None and known.attempt == delta.attempt
            if not begun:
                self._answers[delta.session_id] = _about_to_begin(delta)
            return
        if delta.prompt_read is not None:
            read = known or _about_to_begin(delta)
            reading = msgspec.structs.replace(read, prompt_read=delta.prompt_read, retrying=None)
            self._answers[delta.session_id] = reading
            return
        self._answers[delta.session_id] = self._extended(known, delta)

    def note(self, session_id: str, message: StoredMessage) -> None:
        """An event of the session.

        With its result a model call is over, and whatever still comes of it is late; the next request ends
        one that was cut off.
        """
        if message.event_type not in _ABOUT_MODEL_CALLS:
            return
        recorded, answer = event_of(message), self.of(session_id)
        match recorded.event if recorded is not None else None:
            case ModelCallCompleted(call_id=call_id) | ModelCallFailed(call_id=call_id):
                self._answers[session_id] = call_id
            case ModelCallRequested(call_id=call_id) if answer is not None and answer.call_id != call_id:
                self._answers[session_id] = answer.call_id

    def _extended(self, known: LiveAnswer | None, delta: Delta) -> LiveAnswer:
        missing = delta.index > (known.next if known else 0)
        text, thinking = (known.text, known.thinking) if known else ("", "")
        if delta.was_thinking:
            text, thinking = "", thinking + text
        text += (" … " if missing and known else "") + delta.text
        thinking += delta.thinking
        tools = known.tools if known else ()
        return LiveAnswer(
            delta.session_id,
            delta.call_id,
            delta.attempt,
            delta.index + 1,
            text[-self._characters :],
            (*tools, delta.tool) if delta.tool else tools,
            missing or len(text) > self._characters or bool(known and known.gaps),
            thinking=thinking[-self._characters :],
        )


def _about_to_begin(delta: Delta) -> LiveAnswer:
    return LiveAnswer(
        delta.session_id, delta.call_id, delta.attempt, 0, "", (), gaps=False, retrying=delta.retrying
    )

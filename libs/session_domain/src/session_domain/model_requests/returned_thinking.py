"""What a model thought, for requests in which it goes back to it. Pure."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from agent_contracts.session_events.results import Thinking, Thought
from session_domain.domain.messages import SessionMessage
from session_domain.domain.shown.showing import THOUGHT_IN
from session_domain.domain.state import SessionState

_MARK = re.compile(rb',"%s":"(\d+)"' % THOUGHT_IN.encode())
"""Within a text, its quotes would have backslashes."""
_MARKED = b'"%s":"' % THOUGHT_IN.encode()
_MESSAGE = b',{"role":"'
"""Between two messages of a part."""


class ReturnedThinking(msgspec.Struct, frozen=True):
    """What may go back with the answers of a request, by their places among its messages."""

    thoughts: dict[str, tuple[Thought, ...]] = {}
    reasoning: dict[str, Thinking] = {}


def returnable(session: SessionState, chosen: Sequence[int], model: str) -> dict[int, SessionMessage]:
    """The answers, by their sequences, for which this very model thought: no other takes its thinking."""
    shown = (session.history[index] for index in chosen if index >= 0)
    return {one.sequence: one for one in shown if one.thought_by == model and one.returns_thinking}


def without_marks(
    parts: Iterable[bytes], answers: dict[int, SessionMessage], before: int
) -> tuple[list[bytes], ReturnedThinking]:
    """The encoded messages without the marks in them, and what goes back with those of `answers`. `before`:
    the messages that the request has before them."""
    bare: list[bytes] = []
    returned = ReturnedThinking()
    for part in parts:
        if _MARKED in part:
            for found in _MARK.finditer(part):
                answer = answers.get(int(found[1]))
                if answer is not None:
                    _add(returned, str(before + part.count(_MESSAGE, 0, found.start())), answer)
            bare.append(_MARK.sub(b"", part))
        else:
            bare.append(part)
        before += part.count(_MESSAGE) + 1
    return bare, returned


def _add(returned: ReturnedThinking, place: str, answer: SessionMessage) -> None:
    if answer.thoughts:
        returned.thoughts[place] = answer.thoughts
    if answer.thinking is not None and answer.thinking.sent_as is not None:
        returned.reasoning[place] = answer.thinking

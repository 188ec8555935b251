"""A session's messages as they are sent: each rendered and encoded once, however many calls show it.

The bytes are those of a request that is built from nothing.
"""

from collections.abc import Sequence

import msgspec
from cachetools import LRUCache

from agent_contracts.ids import SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.model_context import Added
from session_domain.domain.histories import beginning_in_common
from session_domain.domain.messages import SessionMessage, Shadow
from session_domain.domain.shown.shapes import SHAPES, Looks, Shapes, looks
from session_domain.domain.shown.showing import (
    Clock,
    asked_besides,
    rendered_added,
    rendered_message,
    rendered_shadow,
)
from session_domain.domain.state import SessionState
from session_domain.model_requests.encoded_array import LARGE, part_of
from session_domain.model_requests.times import clock_in

MOST_BYTES = 128 * 2**20
"""How much encoded text one process keeps, of all its sessions."""
_OF_A_MESSAGE = 500
"""Bytes that a message takes besides its text, roughly."""
_NOT_HIDDEN = -1


class MessageSelection(msgspec.Struct, frozen=True):
    """The messages of a session that a request shows: which (see `ShownMessages`), and all encoded, one or
    more of them in each of `parts`.

    `size` is the bytes of all parts; `pictured` are the indices of those in which pictures stand: each is of
    one message.
    """

    session: SessionState
    chosen: Sequence[int]
    added: Added | None
    parts: Sequence[bytes]
    size: int
    pictured: Sequence[int] = ()


A_PICTURE = b'"type":"picture"'
"""Stands in no text: within a string of JSON, its quotes have backslashes."""


def choice_of(
    session: SessionState, chosen: Sequence[int], added: Added | None, shapes: Shapes, timezone: str | None
) -> MessageSelection:
    """These messages, rendered and encoded from nothing, times in this timezone
    (see `clock_in`)."""
    messages, look, clock = session.messages(), looks(shapes), clock_in(timezone)
    parts = [
        part_of(rendered_message(messages[index], look, clock))
        if index >= 0
        else part_of(rendered_shadow(session.shadows[-1 - index], messages, look, clock))
        for index in chosen
    ]
    choice = _choice(session, chosen, added, [part for part in parts if part], look)
    pictured = tuple(index for index, part in enumerate(choice.parts) if A_PICTURE in part)
    return msgspec.structs.replace(choice, pictured=pictured)


class Renderings:
    """Remembers the messages of the sessions that models are asked for, in today's shapes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._known: LRUCache[SessionKey, _Rendering] = LRUCache(most_bytes, getsizeof=_Rendering.takes)
        self._most_bytes = most_bytes

    def now(self, session: SessionState, timezone: str | None) -> MessageSelection:
        """All that a model call shows of the session today, as `shown_now` tells, times in this timezone."""
        look, clock = looks(SHAPES), clock_in(timezone)
        known = self._known.pop(session.key, None)
        if known is None or known.look is not look or known.clock is not clock:
            known = _Rendering(look, clock)
        known.follow(session)
        if known.takes() <= self._most_bytes:
            self._known[session.key] = known
        return known.choice(session)

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        for key in [key for key in self._known if key.session_id == session_id]:
            self._known.pop(key, None)


class _Rendering:
    """One session, as it was when a model was asked last. What is not shown any more is kept: it may be.

    Messages that follow each other become a large part, and two such parts one that is larger: so a call
    copies little of what was shown before, and its parts are few, however long the session.
    """

    def __init__(self, look: Looks, clock: Clock) -> None:
        self.look = look
        self.clock = clock
        self._messages: list[SessionMessage] = []
        self._hidden_by: list[int] = []
        self._shadows: tuple[Shadow, ...] = ()
        self._encoded: list[bytes | None] = []
        self._told: set[int] = set()
        self._chosen: list[int] = []
        self._parts: list[bytes] = []
        self._loose = 0
        self._loose_bytes = 0
        self._large = 0
        self._pictured: list[int] = []
        self._size = 0
        self._all = 0

    def takes(self) -> int:
        """Roughly the bytes of memory."""
        return self._all + self._size + _OF_A_MESSAGE * len(self._messages)

    def follow(self, session: SessionState) -> None:
        """Take in what is new since; what the session went back on is forgotten."""
        messages = session.messages()
        same = beginning_in_common(self._messages, messages)
        if same < len(self._messages):
            del self._messages[same:], self._hidden_by[same:], self._encoded[same:]
            self._all = sum(len(data) for data in self._encoded if data is not None)
            self._choose_anew()
        if session.shadows != self._shadows:
            self._hide(session.shadows)
            self._choose_anew()
        for message in messages[same:]:
            self._messages.append(message)
            self._hidden_by.append(_hidden_by(message, self._shadows))
            self._encoded.append(None)
        for index in range(same, len(self._messages)):
            self._choose(index)

    def choice(self, session: SessionState) -> MessageSelection:
        """What is shown now, and what the model is asked for besides."""
        added = asked_besides(session)
        if added is None:
            parts = tuple(self._parts)
            return MessageSelection(
                session, tuple(self._chosen), None, parts, self._size, tuple(self._pictured)
            )
        choice = _choice(session, tuple(self._chosen), added, self._parts, self.look)
        return msgspec.structs.replace(choice, pictured=tuple(self._pictured))

    def _hide(self, shadows: tuple[Shadow, ...]) -> None:
        """Of several shadows over a message the last one made counts: mostly one is new."""
        known = len(self._shadows)
        if shadows[:known] == self._shadows:
            for number in range(known, len(shadows)):
                first, last = shadows[number].first, shadows[number].last
                self._hidden_by = [
                    number if first <= message.sequence <= last else before
                    for message, before in zip(self._messages, self._hidden_by, strict=True)
                ]
        else:
            self._hidden_by = [_hidden_by(message, shadows) for message in self._messages]
        self._shadows = shadows

    def _choose_anew(self) -> None:
        self._told, self._chosen, self._parts, self._size = set(), [], [], 0
        self._loose = self._loose_bytes = self._large = 0
        self._pictured = []
        for index in range(len(self._messages)):
            self._choose(index)

    def _choose(self, index: int) -> None:
        number = self._hidden_by[index]
        if number == _NOT_HIDDEN:
            self._chosen.append(index)
            self._show(self._of(index))
            return
        shadow = self._shadows[number]
        if shadow.first not in self._told:
            self._told.add(shadow.first)
            self._chosen.append(-1 - number)
            self._show(part_of(rendered_shadow(shadow, self._messages, self.look, self.clock)))

    def _show(self, part: bytes) -> None:
        if not part:
            return
        self._parts.append(part)
        self._size += len(part)
        if A_PICTURE in part:
            self._pictured.append(len(self._parts) - 1)
            self._loose = self._loose_bytes = self._large = 0
            return
        self._loose += 1
        self._loose_bytes += len(part)
        if self._loose_bytes >= LARGE:
            self._join(self._loose)
            self._loose = self._loose_bytes = 0
            self._large += 1
            while self._large > 1 and len(self._parts[-2]) <= len(self._parts[-1]):
                self._join(2)
                self._large -= 1

    def _join(self, last: int) -> None:
        """So many of the last parts become one."""
        self._parts[-last:] = [b",".join(self._parts[-last:])]
        self._size += last - 1

    def _of(self, index: int) -> bytes:
        known = self._encoded[index]
        if known is None:
            rendered = rendered_message(self._messages[index], self.look, self.clock)
            known = self._encoded[index] = part_of(rendered)
            self._all += len(known)
        return known


def _choice(
    session: SessionState, chosen: Sequence[int], added: Added | None, parts: Sequence[bytes], look: Looks
) -> MessageSelection:
    if added is not None:
        parts = [*parts, part_of(rendered_added(added, look))]
    return MessageSelection(session, chosen, added, parts, sum(map(len, parts)))


def _hidden_by(message: SessionMessage, shadows: tuple[Shadow, ...]) -> int:
    for number in range(len(shadows) - 1, -1, -1):
        if shadows[number].first <= message.sequence <= shadows[number].last:
            return number
    return _NOT_HIDDEN

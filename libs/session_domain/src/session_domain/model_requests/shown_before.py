"""What the calls before a model call showed: the recorded choice of messages goes on from theirs."""

from typing import Any

import msgspec
from cachetools import LRUCache

from agent_contracts.errors import LogCorrupt
from agent_contracts.ids import CallId
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import event_of
from agent_contracts.model_context import ShownMessages, digest_of
from agent_contracts.session_events.results import ModelCallCompleted
from agent_platform.log.port import Log
from session_domain.domain.state import SessionState

REMEMBERED = 10_000
"""Of how many answers one process remembers what their calls showed."""


class AnsweredModelCall(msgspec.Struct, frozen=True):
    """What an answer says of its call."""

    call_id: CallId
    model: str
    context: str | None
    shown: ShownMessages | None


class ShownBefore:
    """Reads what earlier calls of a session showed: one message of the log for each call it doesn't know."""

    def __init__(self, events: Log) -> None:
        self._events = events
        self._known: LRUCache[int, AnsweredModelCall] = LRUCache(REMEMBERED)

    def heard(self, recorded: RecordedEvent[Any]) -> None:
        """Take note of an event that was read anyway."""
        event = recorded.event
        if isinstance(event, ModelCallCompleted):
            self._known[recorded.sequence] = AnsweredModelCall(
                event.call_id, event.model, event.context, event.shown
            )

    async def answered(self, session: SessionState) -> AnsweredModelCall | None:
        """The last call in the session's history that was answered; None if none was."""
        answer = _last_answer(session, len(session.history))
        return None if answer is None else await self._result(session.history[answer].sequence)

    async def messages(self, session: SessionState, shown: ShownMessages) -> list[int]:
        """All that a call showed, whose request the session is folded up to. `LogCorrupt` if that is lost."""
        kept, found = shown.kept, list(shown.beyond)
        end = len(session.history)
        while kept:
            answer = _last_answer(session, end)
            before = None if answer is None else await self._recorded(session.history[answer].sequence)
            if answer is None or before is None or before.count < kept:
                raise LogCorrupt("what an earlier model call showed is not in the log")
            end = answer
            found = [*before.beyond[: max(0, kept - before.kept)], *found]
            kept = min(kept, before.kept)
        if digest_of(found) != shown.digest:
            raise LogCorrupt("what a model call showed is not what its result says")
        return found

    async def context(self, session: SessionState) -> str | None:
        """The context of the last call in the session's history that was answered."""
        end: int | None = len(session.history)
        while end is not None and (end := _last_answer(session, end)) is not None:
            answer = await self._result(session.history[end].sequence)
            if answer is not None and answer.context is not None:
                return answer.context
        return None

    async def _recorded(self, sequence: int) -> ShownMessages | None:
        result = await self._result(sequence)
        return None if result is None else result.shown

    async def _result(self, sequence: int) -> AnsweredModelCall | None:
        """The answer in a record."""
        if sequence not in self._known:
            for message in await self._events.record(sequence):
                recorded = event_of(message)
                if recorded is not None:
                    self.heard(recorded)
        return self._known.get(sequence)


def _last_answer(session: SessionState, before: int) -> int | None:
    """The index of the last message of the model in the history, before index `before`."""
    for index in range(before - 1, -1, -1):
        if session.history[index].role == "assistant":
            return index
    return None

"""The projection without a database: a story's events in, rows out; and a story as messages of a log."""

from collections.abc import Iterable
from typing import Any

import msgspec

from agent_contracts import subjects
from agent_contracts.codec import Recorded, encode, type_of
from agent_contracts.envelope import Envelope, to_headers
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.port import NewMessage, StoredMessage
from agent_platform.projections.projection import Unprojectable
from agent_platform.projections.rows import Key, NotLoaded, Row, Rows, Table
from session_engine.domain.engine_tools import RUNNER
from session_engine.projections.projection import SessionsProjection

AGENT = AgentId("default")


class MemoryTables:
    """The tables as they are after some messages, each batch of its own as in Postgres."""

    def __init__(self) -> None:
        self._projection = SessionsProjection()
        self._tables: dict[str, dict[Key, Row]] = {table.name: {} for table in self._projection.tables}

    def fold(self, messages: Iterable[StoredMessage]) -> "MemoryTables":
        """Fold more messages, as one batch."""
        rows = Rows()
        for message in messages:
            rows.put(self._puts(message, rows))
        for table, left in rows.to_write():
            self._tables[table.name].update((table.key_of(row), row) for row in left)
        return self

    def rows(self, table: Table[Any]) -> dict[Key, Any]:
        """A table's rows by key."""
        return dict(self._tables[table.name])

    def _puts(self, message: StoredMessage, rows: Rows) -> Any:
        while True:
            try:
                return self._projection.project(message, rows)
            except NotLoaded as missing:
                found = self._tables[missing.table.name].get(missing.key)
                rows.loaded(missing.table, [missing.key], [found] if found is not None else [])
            except Unprojectable as poison:
                return self._projection.salvage(message, f"{poison.kind}: {poison.message}")


def stored(sequence: int, message: NewMessage) -> StoredMessage:
    """A message as the log would hold it."""
    return StoredMessage(sequence, message.subject, message.data, message.headers)


def as_messages(story: Iterable[Recorded[SessionEvent]], session_id: SessionId) -> list[StoredMessage]:
    """A story's events as the messages of session `session_id`, at their sequences."""
    return [
        stored(recorded.sequence, as_message(recorded.event, recorded.envelope, session_id))
        for recorded in story
    ]


def as_message(event: SessionEvent, envelope: Envelope, session_id: SessionId) -> NewMessage:
    """An event of a session on its proper subject."""
    headers = to_headers(msgspec.structs.replace(envelope, type=type_of(event), subject=session_id))
    return NewMessage(_subject(event, session_id), encode(event), headers)


def _subject(event: SessionEvent, session_id: SessionId) -> str:
    match event:
        case event if isinstance(event, inputs.Input):
            return subjects.input_subject(AGENT, session_id, type_of(event))
        case results.CallClaimed(call_id=call_id):
            return subjects.claim_subject(AGENT, session_id, call_id)
        case (
            results.ToolCallCompleted(call_id=call_id, runner=runner)
            | results.ToolCallFailed(call_id=call_id, runner=runner)
            | results.ToolCallPending(call_id=call_id, runner=runner)
        ) if runner == RUNNER:
            return subjects.decision_subject(AGENT, session_id, type_of(event), (RunsOn.ENGINE, call_id))
        case event if isinstance(event, results.Result):
            return subjects.result_subject(AGENT, session_id, event.call_id)
        case ev.ModelCallRequested(call_id=call_id):
            return subjects.decision_subject(AGENT, session_id, type_of(event), (None, call_id))
        case ev.ToolCallRequested(call_id=call_id, runs_on=runs_on):
            return subjects.decision_subject(AGENT, session_id, type_of(event), (runs_on, call_id))
        case _:
            return subjects.decision_subject(AGENT, session_id, type_of(event))

"""What recorded events come to, by today's code: states, requests, decisions, rows. In memory, no servers."""

import json
from collections.abc import Callable
from typing import Any, get_args

import msgspec
from pyrsistent import PVector

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.sessions.session_file import FileEvent, SessionFile
from agent_platform.log.port import Log
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.product.recorded.canonical import fingerprint
from foldline_testing.product.recorded.recording import blobs_of, events_of, log_of, stored
from foldline_testing.product.recorded.requests import requests_of
from foldline_testing.projector.projecting import MemoryTables
from gateway.live.event_view import event_view
from projections.log_tables import EVENTS
from projections.session_tables import SESSION_TABLES
from session_domain.domain.decide import decide
from session_domain.domain.rules.engine_calls import Decided
from session_domain.domain.state import SessionState
from session_domain.folding import fold_event
from session_domain.replay import replay
from session_engine.answering.views import session_view

EVERY_TYPE = frozenset(str(one.__struct_config__.tag) for one in get_args(SessionEvent))
"""The types of all events that a session may hold."""
MOMENTS = 3
"""At so many points, the last event among them, a session's state is kept whole; at others its hash."""

Fold = Callable[[Log, SessionState, RecordedEvent[SessionEvent]], Any]


async def expected_of(sessions: dict[str, SessionFile]) -> dict[str, Any]:
    """Everything that these sessions must come to."""
    log, blobs = log_of(sessions), await blobs_of(sessions)
    return {
        "sessions": {
            label: await session_meaning(log, blobs, SessionKey(file.head.agent_id, file.head.session_id))
            for label, file in sessions.items()
        },
        "rows": rows_of(events_of(sessions)),
    }


async def session_meaning(
    log: Log, blobs: MemoryBlobs, session: SessionKey, fold: Fold = fold_event
) -> dict[str, Any]:
    """What one session must come to."""
    states = await states_of(log, session, fold)
    kept = {len(states) * n // MOMENTS for n in range(1, MOMENTS + 1)}
    return {
        "fingerprints": [[sequence, fingerprint(state_json(state))] for sequence, state in states],
        "states": [
            {"at": sequence, "fold": state_json(state), "view": msgspec.to_builtins(session_view(state))}
            for number, (sequence, state) in enumerate(states, 1)
            if number in kept
        ],
        "requests": await requests_of(log, blobs, session),
        "decisions": await decisions_of(log, session),
    }


async def states_of(log: Log, session: SessionKey, fold: Fold = fold_event) -> list[tuple[int, SessionState]]:
    """The session after each of its records: as a moment, a sequence is all of one."""
    state, found = SessionState(session.session_id), []
    async for message in log.read(session.everything):
        state = await fold(log, state, decode(message))
        if message.part == message.parts - 1:
            found.append((message.sequence, state))
    return found


def state_json(state: SessionState) -> Any:
    """A fold as plain data, every field of it."""
    return msgspec.to_builtins(state, enc_hook=_as_list)


async def decisions_of(
    log: Log,
    session: SessionKey,
    decide_next: Callable[[SessionState], Decided | None] = decide,
) -> dict[str, Any]:
    """What strict replay finds: how many events and decisions; a difference would be a third member."""
    report: dict[str, Any] = msgspec.to_builtins(await replay(log, session, decide_next))
    return {name: value for name, value in report.items() if name != "session_id" and value is not None}


def rows_of(events: list[FileEvent]) -> dict[str, Any]:
    """The rows of sessions, by table and key; of those in `events`, which repeat the files, the hashes."""
    tables = MemoryTables().fold(stored(event) for event in events)
    found: dict[str, Any] = {}
    for table in (EVENTS, *SESSION_TABLES):
        rows = [_row(row) for _, row in sorted(tables.rows(table).items())]
        found[table.name] = rows if table is not EVENTS else [fingerprint(row) for row in rows]
    return found


def events_view(file: SessionFile) -> list[dict[str, Any]]:
    """A session's own events as the API shows them."""
    return [
        msgspec.to_builtins(event_view(stored(event)))
        for event in file.events
        if event.session_id == file.head.session_id
    ]


def _row(row: msgspec.Struct) -> dict[str, Any]:
    """A row as plain data; what a JSON column holds as JSON."""
    columns = {field.name for field in msgspec.structs.fields(row) if "JsonText" in str(field.type)}
    values: dict[str, Any] = msgspec.to_builtins(row)
    return {
        name: json.loads(value) if name in columns and value is not None else value
        for name, value in values.items()
    }


def _as_list(value: object) -> object:
    if isinstance(value, PVector):
        return list(value)
    raise NotImplementedError(f"no plain data: {type(value).__name__}")

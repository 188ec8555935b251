"""What a rollback would do, before anybody asks for it."""

from agent_contracts.database_events import DatabaseWritten
from agent_contracts.session_view import SessionView
from agent_platform.entities.entity import Entity
from gateway.deps import Deps
from gateway.operations.rewind.agent_changes import AgentChange as Change
from gateway.operations.rewind.agent_changes import AgentChanges
from gateway.operations.rewind.database_changes import AgentDatabaseLog
from gateway.operations.rewind.safe_points import safe_point, state_at
from gateway.operations.rewind.views import (
    AgentChange,
    ChangedMessage,
    DatabaseChange,
    DatabaseWrite,
    RollbackPreview,
    Value,
)
from gateway.operations.sessions.directory import KnownSession

_BEGINNING = 300
"""Characters of a message, or of a statement."""
_LATEST = 100
"""Writes to the database that are shown."""


async def preview(deps: Deps, session: KnownSession, to: int) -> RollbackPreview:
    """Each message and each change of the agent that a rollback to event `to` would undo."""
    newest = await deps.log.last_sequence()
    point = await safe_point(deps, session.session_id, to)
    past = _messages(await state_at(deps, session.session_id, point.at))
    now = _messages(await state_at(deps, session.session_id))
    changes = await AgentChanges(deps.log, deps.edits.entities).since(session, point.at)
    return RollbackPreview(
        to=to,
        at=point.at,
        hidden=[message for sequence, message in now.items() if sequence not in past],
        shown_again=[message for sequence, message in past.items() if sequence not in now],
        agent=[_shown(change) for change in changes if not change.is_undone],
        database=await _database(deps, session, point.at),
        log_sequence=newest,
    )


async def _database(deps: Deps, session: KnownSession, point: int) -> DatabaseChange | None:
    changes = await AgentDatabaseLog(deps.log, deps.clock, session.agent_id).since(point)
    if not changes.differs:
        return None
    latest = [
        DatabaseWrite(
            sequence=one.sequence,
            session_id=one.event.session_id,
            sql=one.event.sql[:_BEGINNING] if isinstance(one.event, DatabaseWritten) else None,
        )
        for one in changes.events[-_LATEST:]
    ]
    return DatabaseChange(writes=len(changes.events), by_others=changes.by_others(session), latest=latest)


def _messages(state: SessionView) -> dict[int, ChangedMessage]:
    """The conversation by the sequences of its events; what waits to be read belongs to it."""
    return {
        message.sequence: ChangedMessage(
            sequence=message.sequence, role=message.role, text=message.text[:_BEGINNING]
        )
        for message in state.messages + state.queue
    }


def _shown(change: Change) -> AgentChange:
    return AgentChange(
        kind=change.key.kind.value,
        name=change.key.name,
        before=_value(change.before),
        now=_value(change.now),
        touched_by_others=change.touched_by_others,
    )


def _value(entity: Entity | None) -> Value | None:
    if entity is None:
        return None
    return Value(value=entity.value, version=entity.version, sequence=entity.sequence, time=entity.time)

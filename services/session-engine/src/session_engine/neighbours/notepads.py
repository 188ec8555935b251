"""A session's notepad and plan begin as copies of another's, where that is its past or was asked for."""

from collections.abc import Callable

import msgspec

from agent_contracts.entities.agent_texts import AgentTextSpec, notepad_of, plan_of
from agent_contracts.ids import SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter


class NotepadOf(msgspec.Struct, frozen=True):
    """Whose notepad is copied: as it was after event `at`."""

    session: SessionKey
    at: int


async def copy_notepad(entities: Entities, origin: NotepadOf, child: SessionId, writer: EntityWriter) -> None:
    """Give `child` the notepad that the origin had then, if it had one. A repeat by this writer does nothing.

    To be done before the child is there to read it.
    """
    await _copy(entities, origin, child, writer, notepad_of)


async def copy_plan(entities: Entities, origin: NotepadOf, child: SessionId, writer: EntityWriter) -> None:
    """Give `child` the plan likewise."""
    await _copy(entities, origin, child, writer, plan_of)


async def _copy(
    entities: Entities,
    origin: NotepadOf,
    child: SessionId,
    writer: EntityWriter,
    text_of: Callable[[SessionId], AgentTextSpec],
) -> None:
    copied = await entities.as_of(_key(origin.session, text_of), origin.at)
    if copied is not None:
        key = _key(origin.session.sibling(child), text_of)
        await entities.write(key, copied.value, writer, outside=copied.outside)


def _key(session: SessionKey, text_of: Callable[[SessionId], AgentTextSpec]) -> EntityKey:
    which = text_of(session.session_id)
    return EntityKey(session.agent_id, which.kind, which.name)

"""A session's notepad begins as a copy of another's, where that is its past or was asked for."""

import msgspec

from agent_contracts.agent_texts import notepad_of
from agent_contracts.ids import SessionId
from agent_contracts.session_key import SessionKey
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, Writer


class NotepadOf(msgspec.Struct, frozen=True):
    """Whose notepad is copied: as it was after event `at`."""

    session: SessionKey
    at: int


async def copy_notepad(entities: Entities, origin: NotepadOf, child: SessionId, writer: Writer) -> None:
    """Give `child` the notepad that the origin had then, if it had one. A repeat by this writer does nothing.

    To be done before the child is there to read it.
    """
    copied = await entities.as_of(_key(origin.session), origin.at)
    if copied is not None:
        await entities.write(
            _key(origin.session.sibling(child)), copied.value, writer, outside=copied.outside
        )


def _key(session: SessionKey) -> EntityKey:
    which = notepad_of(session.session_id)
    return EntityKey(session.agent_id, which.kind, which.name)

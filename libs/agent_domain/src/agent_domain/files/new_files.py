"""Many new files at once."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict
from agent_contracts.files import FileScope, FileValue, PathValue, path_key
from agent_domain.files import rules
from agent_domain.files.file import File, StoredContent, Workspace, file_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import ChangeSet, Entity, EntityKey, EntityWriter, OtherChange, Write

MOST_AT_ONCE = 250
"""Files in one atomic batch: with their paths, fewer messages than the 1,000 that nats-server takes."""


class NewStored(msgspec.Struct, frozen=True):
    """A file to be made of bytes that are stored, and who makes it: its id follows from that."""

    path: str
    content: StoredContent
    writer: EntityWriter

    @property
    def file_id(self) -> str:
        """Its id."""
        return rules.file_id_of(self.writer.id)


async def make_together(
    entities: Entities, workspace: Workspace, new: Sequence[NewStored]
) -> Sequence[File] | None:
    """Make up to `MOST_AT_ONCE` files of a session, or of the agent where there is none, all or none.

    None: one of the paths is taken, or one of the files was made before; nothing is written then. Whether
    there is room for them, whoever stored their bytes has asked (`Files.check_room`).
    """
    for one in new:
        rules.checked_path(one.path)
        rules.check_size(one.content.size)
    drafts = [draft for one in new for draft in _drafts(workspace, one)]
    if not drafts:
        return []
    first, *others = drafts
    attempts = 0

    async def decide(before: Entity | None) -> ChangeSet:
        nonlocal attempts
        attempts += 1
        if before is not None or attempts > 1:
            raise Conflict("Another was faster with one of these files")
        return ChangeSet(first.change, tuple(others))

    try:
        await entities.change_together(first.key, first.writer, decide)
    except Conflict:
        return None
    keys = [EntityKey(workspace.agent_id, EntityKind.FILE, one.file_id) for one in new]
    made = await entities.all_as_of(keys, None)
    found = [file_of(entity) for entity in made if entity is not None]
    return found if len(found) == len(new) else None


def _drafts(workspace: Workspace, new: NewStored) -> tuple[OtherChange, OtherChange]:
    """The file, and that its path is taken."""
    agent_id, owner = workspace.agent_id, workspace.session_id
    value = FileValue(
        path=new.path,
        media_type=new.content.media_type,
        size=new.content.size,
        blob=new.content.blob,
        scope=FileScope.AGENT if owner is None else FileScope.SESSION,
        source=new.content.source,
        session_id=owner,
        made_from=new.content.made_from,
    )
    key = EntityKey(agent_id, EntityKind.FILE, new.file_id)
    place = EntityKey(agent_id, EntityKind.PATH, path_key(owner, new.path))
    taken = Write(msgspec.to_builtins(PathValue(new.file_id)))
    return (
        OtherChange(key, None, Write(msgspec.to_builtins(value)), new.writer),
        OtherChange(place, None, taken, new.writer.beside("to")),
    )

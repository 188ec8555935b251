"""Entities whose value is a text: read, and changed without losing what others wrote meanwhile."""

from collections.abc import Callable

import msgspec

from agent_contracts.entities.agent_texts import text_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityChange, EntityKey, EntityWriter, Write


class TextVersion(msgspec.Struct, frozen=True):
    """A text at one version. Version 0 is what it says before anybody wrote it: there is no `entity` then."""

    text: str
    version: int
    entity: Entity | None


async def read_text(
    entities: Entities, key: EntityKey, initial: str, *, up_to: int | None = None
) -> TextVersion:
    """The text now, or as of event `up_to` of the log; `initial` where there is no entity."""
    entity = await (entities.current(key) if up_to is None else entities.as_of(key, up_to))
    return text_version(entity, initial)


async def change_text(
    entities: Entities,
    key: EntityKey,
    initial: str,
    writer: EntityWriter,
    change: Callable[[TextVersion], str],
) -> EntityChange:
    """Make the text what `change` makes of it; the same text again succeeds without a version.

    `change` is asked anew when another writer was faster, so that both changes count. What it raises is
    passed on, nothing written. `Conflict` when others were faster again and again.
    """

    return await entities.change(key, writer, changing(initial, change))


def changing(initial: str, change: Callable[[TextVersion], str]) -> Callable[[Entity | None], Change]:
    """What `change` makes of a text, as a change of its entity: none if the text stays the same."""

    def decide(before: Entity | None) -> Change:
        found = text_version(before, initial)
        made = change(found)
        return None if made == found.text else Write(made)

    return decide


def text_version(entity: Entity | None, initial: str) -> TextVersion:
    """What an entity says, or `initial` where there is none (or it holds no text)."""
    if entity is None:
        return TextVersion(initial, 0, None)
    text = text_of(entity.value)
    return TextVersion(initial if text is None else text, entity.version, entity)

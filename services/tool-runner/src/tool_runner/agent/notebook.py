"""The notebook that people share with their agent, as one tool call reads and writes it."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.notebook import (
    LONGEST_NOTES,
    NOTEBOOK,
    NoteTab,
    tab_in,
    tab_key,
    tab_names,
    value_of,
)
from agent_contracts.errors import Conflict, ErrorKind, Rejected, Transient
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import ChangeSet, Entity, EntityKey, Write, entity_from
from agent_tools.context import CallContext

_LOOKED_AT = 200
"""Versions of a tab that are gone back through at most."""


class StoredNotebook:
    """An `AgentNotebook` of values of the state. What people say of a tab counts as of each write."""

    def __init__(self, entities: Entities, call: CallContext) -> None:
        self._entities = entities
        self._agent_id = call.agent_id
        self._writers = call.writers
        self._outside = call.outside

    async def tabs(self) -> Sequence[NoteTab]:
        """See `AgentNotebook`."""
        names = await self._names()
        found = await self._entities.all_as_of([self._key(tab_key(name)) for name in names], None)
        tabs = [tab_in(name, one.value if one else None) for name, one in zip(names, found, strict=True)]
        for tab, one in zip(tabs, found, strict=True):
            if one is not None and tab.agent_read:
                self._outside.bring(*one.outside)
        return tabs

    async def change(self, name: str, change: Callable[[str], str]) -> NoteTab:
        """See `AgentNotebook`."""

        async def content(before: str, _: Entity | None) -> str:
            return change(before)

        return await self._written(name, content)

    async def take_back(self, name: str, steps: int) -> NoteTab:
        """See `AgentNotebook`. To take a change back is no change itself: twice one step is two steps."""

        async def content(before: str, now: Entity | None) -> str:
            contents = await self._contents(name, now) if now is not None else [before]
            if steps >= len(contents):
                raise Rejected(
                    f"the tab {name!r} has {len(contents) - 1} changes to take back, not {steps}",
                    path="/steps",
                )
            return contents[-1 - steps]

        return await self._written(name, content)

    async def _contents(self, name: str, now: Entity) -> list[str]:
        """What the tab said, the oldest first, without what was taken back."""
        key = self._key(tab_key(name))
        versions = [tab_in(name, now.value).content]
        async for recorded in self._entities.versions(key, before=now.sequence):
            earlier = entity_from(recorded, self._agent_id)
            versions.append("" if earlier is None else tab_in(name, earlier.value).content)
            if len(versions) == _LOOKED_AT:
                break
        kept: list[str] = []
        for content in reversed(versions):
            if content in kept:
                del kept[kept.index(content) :]
            kept.append(content)
        return kept

    async def _written(self, name: str, content: Callable[[str, Entity | None], Awaitable[str]]) -> NoteTab:
        if name not in await self._names():
            raise Rejected(f"there is no tab {name[:80]!r}", kind=ErrorKind.NOT_FOUND, path="/tab")

        async def decide(before: Entity | None) -> ChangeSet:
            tab = tab_in(name, before.value if before else None)
            if not tab.agent_write:
                raise Rejected(
                    f"people don't let you write the tab {name!r}", kind=ErrorKind.BLOCKED, path="/tab"
                )
            text = await content(tab.content, before)
            if len(text) > LONGEST_NOTES:
                raise Rejected(
                    f"the tab would have {len(text):,} characters, at most {LONGEST_NOTES:,} are kept",
                    kind=ErrorKind.TOO_LARGE,
                    path="/content",
                )
            changed = msgspec.structs.replace(tab, content=text)
            return ChangeSet(None if changed == tab else Write(value_of(changed)))

        key, writer = self._key(tab_key(name)), self._writers.next()
        try:
            made = await self._entities.change_together(key, writer, decide)
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return tab_in(name, made.after.value if made.after else None)

    async def _names(self) -> list[str]:
        found = await self._entities.current(self._key(NOTEBOOK))
        return tab_names(found.value if found else None)

    def _key(self, name: str) -> EntityKey:
        return EntityKey(self._agent_id, EntityKind.STATE, name)

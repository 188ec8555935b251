"""What is the same of all things that an agent has, whatever their kind: read, versions, revert, delete."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import msgspec

from agent_contracts.api.versions import DeleteResult, Version, VersionTarget
from agent_contracts.api.wire import Page
from agent_contracts.ids import AgentId
from agent_platform.entities.entity import Entity, EntityKey
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.version_records import versions
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents

P = TypeVar("P", contravariant=True)
T = TypeVar("T", covariant=True)


class ThingKey(msgspec.Struct, frozen=True):
    """Where a thing is: whose it is, and its name among those of its kind."""

    agent_id: AgentId
    name: str


class Things(ABC, Generic[P, T]):
    """Things of one kind, each at its place `P`, as people are shown them (`T`). A kind's own class adds how
    one is written, and what only its kind can do.

    `Rejected(kind="not_found")` where there is no such agent, thing or version."""

    def __init__(self, edits: Edits, agents: KnownAgents) -> None:
        self._edits = edits
        self._agents = agents

    @abstractmethod
    async def _key(self, place: P) -> EntityKey:
        """Its entity. `Rejected` where there is no such agent, or nothing can have this name."""

    @abstractmethod
    async def _shown(self, found: Entity | None, place: P, at: int | None = None) -> T:
        """It at one version, as it was after event `at` (None: now). `Rejected` for a kind that isn't there
        before anybody writes it."""

    async def read(self, place: P, at: int | None = None) -> T:
        """It now, or as it was after event `at`."""
        key, entities = await self._key(place), self._edits.entities
        found = await (entities.current(key) if at is None else entities.as_of(key, at))
        return await self._shown(found, place, at)

    async def versions(self, place: P, before: int | None, limit: int) -> Page[Version]:
        """Who changed it and when, newest first, deletions included."""
        return versions(await self._edits.page(await self._key(place), before, limit))

    async def version(self, place: P, target: VersionTarget) -> T:
        """It at one version; after a deletion the newest one of this number."""
        return await self._shown(await self._edits.find(await self._key(place), target), place)

    async def revert(self, place: P, target: VersionTarget, request: IdempotentRequest) -> T:
        """Make an earlier version the newest, also of one that was deleted. Nothing is taken out of the
        history."""
        changed = await self._edits.revert(await self._key(place), request, target)
        return await self._shown(changed.after, place)

    async def delete(self, place: P, request: IdempotentRequest) -> DeleteResult:
        """Delete it; its versions stay readable, and it can be reverted to one."""
        return await self._edits.delete(await self._key(place), request)

"""An agent's state: its values by key, as a person reads and changes them."""

import msgspec

from agent_contracts.api.state import StateKey, StateKeys, StateValue
from agent_contracts.api.versions import Deleted, Target, Versions
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.state_keys import LARGEST_VALUE, flaw_in_key
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.written import versions, written
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents


class Place(msgspec.Struct, frozen=True):
    """Where a value is: the agent, and the key."""

    agent_id: AgentId
    key: str


class State:
    """The state of agents. `Rejected(kind="not_found")` where there is no such agent, key or version."""

    def __init__(self, edits: Edits, agents: KnownAgents) -> None:
        self._edits = edits
        self._agents = agents

    async def list(self, agent_id: AgentId, prefix: str = "", at: int | None = None) -> StateKeys:
        """The keys that have a value (and begin with `prefix`), now or after event `at`, sorted."""
        await self._agents.require(agent_id)
        found = await self._edits.entities.list(agent_id, EntityKind.STATE, up_to=at)
        return StateKeys(
            keys=[
                StateKey(key=entity.key.name, **written(entity))
                for entity in found
                if entity.key.name.startswith(prefix)
            ]
        )

    async def value(self, place: Place, at: int | None = None) -> StateValue:
        """A value, now or as it was after event `at`."""
        key, entities = await self._key(place), self._edits.entities
        found = await (entities.current(key) if at is None else entities.as_of(key, at))
        if found is None:
            raise Rejected(f"The state of agent {place.agent_id} has no such key", kind="not_found")
        return _shown(found)

    async def put(self, place: Place, value: Json, version: int | None, request: Asked) -> StateValue:
        """Store a value, if the key is at `version` (None: any; 0: no value yet), else `conflict`.

        The same value again makes no version.
        """
        key = await self._key(place)
        if len(msgspec.json.encode(value)) > LARGEST_VALUE:
            raise Rejected(f"A value may have at most {LARGEST_VALUE} bytes of JSON", kind="too_large")

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            same = before is not None and same_json(before.value, value)
            return None if same else Write(value)

        writer = self._edits.writer(request, key.subject, "write")
        return _shown((await self._edits.change(key, writer, request, decide)).after)

    async def delete(self, place: Place, request: Asked) -> Deleted:
        """Delete a key and its value; its versions stay readable."""
        return await self._edits.delete(await self._key(place), request)

    async def versions(self, place: Place, before: int | None, limit: int) -> Versions:
        """Who changed the value and when, newest first, deletions included."""
        return versions(await self._edits.page(await self._key(place), before, limit))

    async def version(self, place: Place, target: Target) -> StateValue:
        """The value at one version; after a deletion the newest one of this number."""
        return _shown(await self._edits.find(await self._key(place), target))

    async def revert(self, place: Place, target: Target, request: Asked) -> StateValue:
        """Make an earlier version's value the newest version, also of a key that was deleted."""
        return _shown((await self._edits.revert(await self._key(place), request, target)).after)

    async def _key(self, place: Place) -> EntityKey:
        flaw = flaw_in_key(place.key)
        if flaw is not None:
            raise Rejected(flaw, kind="invalid_request")
        await self._agents.require(place.agent_id)
        return EntityKey(place.agent_id, EntityKind.STATE, place.key)


def _shown(found: Entity | None) -> StateValue:
    if found is None:
        raise Permanent("A value is gone right after it was written", kind="internal")
    return StateValue(key=found.key.name, value=found.value, **written(found))

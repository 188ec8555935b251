"""An agent's state: its values by key, as a person reads and changes them."""

import msgspec

from agent_contracts.api.state import StateKey, StateValue
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.state_keys import LARGEST_VALUE, flaw_in_key
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import expecting
from gateway.operations.agents.things import ThingKey, Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest


class State(Things[ThingKey, StateValue]):
    """The state of agents."""

    async def list(self, agent_id: AgentId, prefix: str = "", at: int | None = None) -> Page[StateKey]:
        """The keys that have a value (and begin with `prefix`), now or after event `at`, sorted."""
        await self._agents.require(agent_id)
        found = await self._edits.entities.list(agent_id, EntityKind.STATE, up_to=at)
        return Page[StateKey](
            items=[
                StateKey(key=entity.key.name, **written(entity))
                for entity in found
                if entity.key.name.startswith(prefix)
            ]
        )

    async def put(
        self, place: ThingKey, value: Json, version: int | None, request: IdempotentRequest
    ) -> StateValue:
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
        return await self._shown((await self._edits.change(key, writer, request, decide)).after, place)

    async def _key(self, place: ThingKey) -> EntityKey:
        flaw = flaw_in_key(place.name)
        if flaw is not None:
            raise Rejected(flaw, kind="invalid_request")
        await self._agents.require(place.agent_id)
        return EntityKey(place.agent_id, EntityKind.STATE, place.name)

    async def _shown(self, found: Entity | None, place: ThingKey, at: int | None = None) -> StateValue:
        if found is None:
            raise Rejected(f"The state of agent {place.agent_id} has no such key", kind="not_found")
        return StateValue(key=found.key.name, value=found.value, **written(found))

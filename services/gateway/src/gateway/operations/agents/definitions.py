"""What an agent made for itself, as a person sees it: read, write, versions, revert, switch, delete."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from agent_contracts.api.definitions import Definition, DefinitionName
from agent_contracts.api.wire import Page
from agent_contracts.entities.definitions import PLAYBOOK_NAME, D, PlaybookDefinition
from agent_contracts.errors import Rejected, Transient
from agent_contracts.flaw_places import located
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.kinds.playbook import PLAYBOOK
from agent_contracts.kinds.tool import TOOL
from agent_contracts.questions.user_questions import CheckDefinition
from agent_domain.definitions import to_json
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from agent_platform.log.storable_text import storable
from gateway.operations.agents.brought import whose
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.things import Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.operating.ports import OfferedTools
from gateway.operations.ports import KnownAgents, Runners
from gateway.queries.database import Database
from gateway.queries.quarantines import quarantined


class DefinitionKey(msgspec.Struct, frozen=True):
    """Which definition: whose, of which kind, under which name."""

    agent_id: AgentId
    kind: ThingKind[Any]
    name: str


class Definitions(Things[DefinitionKey, Definition]):
    """The definitions of agents."""

    def __init__(
        self, edits: Edits, agents: KnownAgents, runners: Runners, offered: OfferedTools, database: Database
    ) -> None:
        super().__init__(edits, agents)
        self._runners = runners
        self._offered = offered
        self._database = database

    async def list(
        self, agent_id: AgentId, kind: ThingKind[D], at: int | None = None
    ) -> Page[DefinitionName]:
        """Their names and descriptions, disabled ones too, now or after event `at`.

        Without Postgres nobody knows which are in quarantine, and none is said to be.
        """
        await self._agents.require(agent_id)
        found = await self._edits.entities.list(agent_id, kind.kind, up_to=at)
        why = await self._quarantined(agent_id) if found and kind is TOOL else {}
        named = [_named(entity, kind, why.get((entity.key.name, entity.sequence))) for entity in found]
        return Page[DefinitionName](items=named)

    async def put(
        self,
        made: DefinitionKey,
        definition: dict[str, Json],
        version: int | None,
        request: IdempotentRequest,
    ) -> Definition:
        """Make it, or make it what is given; a disabled one stays so. What it is already makes no version.

        It must fulfil what the agent's own tools demand. `Rejected` otherwise; and `conflict` if it isn't at
        `version` (None: any; 0: not made yet) any more. Nothing is stored then.
        """
        key = await self._key(made)
        checked = to_json(await self._checked(made, definition))

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            switched = made.kind.is_switchable and before is not None
            kept = {"enabled": before.value.get("enabled", True)} if switched and before else {}
            value = {**checked, **kept}
            return None if before is not None and same_json(before.value, value) else Write(value)

        writer = self._edits.writer(request, key.subject, "write")
        return await self._shown((await self._edits.change(key, writer, request, decide)).after, made)

    async def _checked(self, made: DefinitionKey, definition: dict[str, Json]) -> Any:
        if made.kind is PLAYBOOK:  # it has no code, and no tool that every agent has makes one
            return _playbook(made.name, definition)
        question = CheckDefinition(made.agent_id, made.kind.kind, made.name, definition)
        return msgspec.convert(await self._runners.check(question), made.kind.shape)

    async def switch(self, made: DefinitionKey, enabled: bool, request: IdempotentRequest) -> Definition:
        """Enable or disable it, if its kind can be."""
        if not made.kind.is_switchable:
            raise Rejected(f"A {made.kind.noun} can't be disabled", kind="invalid_request")
        key = await self._key(made)

        def decide(before: Entity | None) -> Change:
            if before is None:
                raise _absent(made)
            found = msgspec.convert(before.value, made.kind.shape)
            switched = to_json(msgspec.structs.replace(found, enabled=enabled))
            return None if same_json(switched, before.value) else Write(switched, before.outside)

        writer = self._edits.writer(request, key.subject, "switch")
        return await self._shown((await self._edits.change(key, writer, request, decide)).after, made)

    async def _quarantined(self, agent_id: AgentId) -> Mapping[tuple[str, int], str]:
        try:
            async with self._database.snapshot() as snapshot:
                return await quarantined(snapshot, agent_id)
        except Transient:
            return {}

    async def _shown(self, found: Entity | None, place: DefinitionKey, at: int | None = None) -> Definition:
        if found is None:
            raise _absent(place)
        pack = whose(await self._offered.catalogues(), place.kind.kind, place.name, found.value)
        return Definition(name=found.key.name, definition=found.value, brought_by=pack, **written(found))

    async def _key(self, place: DefinitionKey) -> EntityKey:
        await self._agents.require(place.agent_id)
        return EntityKey(place.agent_id, place.kind.kind, place.name)


def _playbook(name: str, definition: dict[str, Json]) -> PlaybookDefinition:
    if not re.fullmatch(PLAYBOOK_NAME, name):
        message = f"{name[:100]!r} can't name a playbook: 1 to 64 letters, digits, - and _"
        raise Rejected(message, kind="invalid_request", path="/name")
    try:
        return msgspec.convert(storable(definition), PlaybookDefinition)
    except msgspec.ValidationError as error:
        message, path = located(error)
        raise Rejected(f"This can't be a playbook: {message}", kind="invalid_request", path=path) from error


def _absent(made: DefinitionKey) -> Rejected:
    return Rejected(f"There is no {made.kind.noun} named {made.name[:100]!r}", kind="not_found")


def _named(entity: Entity, kind: ThingKind[D], why: str | None) -> DefinitionName:
    value: Any = msgspec.convert(entity.value, kind.shape)
    return DefinitionName(
        name=entity.key.name,
        description=value.description,
        enabled=getattr(value, "enabled", True),
        tags=list(getattr(value, "tags", ())),
        quarantined=why,
        **written(entity),
    )

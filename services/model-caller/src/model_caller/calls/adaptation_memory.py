"""Adaptations in the log: of the installation, so that all model callers and all agents share them."""

from collections.abc import Sequence

import msgspec
import structlog

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import (
    ADAPTATIONS_KIND,
    ONCE,
    ModelAdaptations,
    adaptations_name,
)
from agent_contracts.errors import Failure
from agent_contracts.event_sources import Actor
from agent_contracts.json_value import Json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Entity, EntityKey, EntityWriter, Write
from agent_platform.process.clock import Clock, rfc3339
from model_caller.choosing.call_adaptations import CallAdaptations
from model_caller.choosing.target import ModelTarget

log = structlog.get_logger()


class AdaptationMemory:
    """Reads and writes them."""

    def __init__(self, entities: Entities, clock: Clock) -> None:
        self._entities = entities
        self._clock = clock

    async def adapted(self, target: ModelTarget) -> ModelTarget:
        """The target with what is known of it now."""
        return _adapted(target, await self._entities.current(_key(target)))

    async def learned(self, target: ModelTarget) -> None:
        """The model answered a request that was changed in ways which were tried: they are remembered.
        Raises nothing: where it can't be written now, they are learned again."""
        now = rfc3339(self._clock.now())
        tried = tuple(
            msgspec.structs.replace(one, learned_at=now) for one in target.adapted.tried if one.field != ONCE
        )
        if not tried:
            return

        def decide(before: Entity | None) -> Change:
            known = _read(before) or ModelAdaptations(target.shown_server, target.model)
            more = known.adding(tried)
            if more == known:
                return None
            value: Json = msgspec.to_builtins(more)
            return Write(value)

        key = _key(target)
        try:
            await self._entities.change(
                key, EntityWriter(self._clock.new_id("adaptation"), Actor.SERVICE), decide
            )
        except Failure as failure:
            log.warning("model.adaptation_not_kept", model=target.model, reason=failure.message)
            return
        for one in tried:
            log.info("model.adapted", model=target.model, adaptation=one.label, said=one.said)


def with_known(target: ModelTarget, known: Sequence[Entity]) -> ModelTarget:
    """The target with what these entities say of it."""
    name = _key(target).name
    return _adapted(target, next((one for one in known if one.key.name == name), None))


def _adapted(target: ModelTarget, entity: Entity | None) -> ModelTarget:
    found = _read(entity)
    if found is None:
        return target
    quirks = [one for one in target.adapted.known if not one.learned_at]
    labels = {one.label for one in quirks}
    learned = (one for one in found.learned if one.label not in labels)
    return msgspec.structs.replace(target, adapted=CallAdaptations((*quirks, *learned)))


def _key(target: ModelTarget) -> EntityKey:
    return EntityKey(SYSTEM_AGENT, ADAPTATIONS_KIND, adaptations_name(target.shown_server, target.model))


def _read(entity: Entity | None) -> ModelAdaptations | None:
    return None if entity is None else msgspec.convert(entity.value, ModelAdaptations)

"""What Foldline has learned to change in requests to models: listed, and reset by people."""

from collections.abc import Sequence

import msgspec

from agent_contracts.api.settings import AdaptationShown, AdaptedModel, ResetAdaptations
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import (
    ADAPTATIONS_KIND,
    LearnedAdaptation,
    ModelAdaptations,
)
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_platform.entities.entity import Change, Delete, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits
from gateway.operations.idempotency import asked


class AdaptationsOfModels:
    """Reads them, and forgets them: the next request is sent as to any other model."""

    def __init__(self, edits: Edits) -> None:
        self._edits = edits

    async def list(self) -> Page[AdaptedModel]:
        """All of them, by server and model."""
        models = [_shown(one) for one in await self._entities() if _value(one).learned]
        return Page[AdaptedModel](items=sorted(models, key=lambda one: (one.server, one.model)))

    async def reset(self, name: str, label: str | None) -> ResetAdaptations:
        """Forget those of one model, or one of them. `Rejected(kind="not_found")` where there is none."""
        request = asked()

        def decide(before: Entity | None) -> Change:
            if before is None or not _matching(before, label):
                return None
            kept = _value(before).without(label) if label is not None else None
            if kept is None or not kept.learned:
                return Delete()
            value: Json = msgspec.to_builtins(kept)
            return Write(value)

        key = EntityKey(SYSTEM_AGENT, ADAPTATIONS_KIND, name)
        writer = self._edits.writer(request, key.subject, "reset")
        changed = await self._edits.change(key, writer, request, decide)
        if changed.sequence is None:
            raise Rejected(
                "Nothing of this name was learned of a model, or it was reset already", kind="not_found"
            )
        return ResetAdaptations(reset=len(_matching(changed.before, label)))

    async def reset_all(self) -> ResetAdaptations:
        """Forget those of all models."""
        request, count = asked(), 0
        for one in await self._entities():
            writer = self._edits.writer(request, one.key.subject, "reset all")
            changed = await self._edits.change(one.key, writer, request, lambda before: Delete())
            count += len(_matching(changed.before, None))
        return ResetAdaptations(reset=count)

    async def _entities(self) -> Sequence[Entity]:
        return await self._edits.entities.list(SYSTEM_AGENT, ADAPTATIONS_KIND)


def _matching(entity: Entity | None, label: str | None) -> list[LearnedAdaptation]:
    learned = () if entity is None else _value(entity).learned
    return [one for one in learned if label in (None, one.label)]


def _value(entity: Entity) -> ModelAdaptations:
    return msgspec.convert(entity.value, ModelAdaptations)


def _shown(entity: Entity) -> AdaptedModel:
    value = _value(entity)
    return AdaptedModel(
        name=entity.key.name,
        server=value.server,
        model=value.model,
        adaptations=[
            AdaptationShown(
                label=one.label,
                adaptation=one.adaptation,
                field=one.field,
                meaning=one.meaning,
                said=one.said,
                learned_at=one.learned_at,
            )
            for one in value.learned
        ],
    )

"""What Foldline has learned to change in requests to models."""

from typing import Annotated

from fastapi import Path, Query

from agent_contracts.api.settings import AdaptedModel, ResetAdaptations
from agent_contracts.api.wire import Page
from gateway.http.wire.one_of import one_of
from gateway.http.wire.parameters import Using
from gateway.http.wire.resource import resource

router = resource("settings", "/model-adaptations")

NamePath = Annotated[
    str, Path(pattern="[0-9a-f]{20}", description="Name of a model at a server, as the list has it.")
]
Label = Annotated[str | None, Query(max_length=200, description="Only the adaptation with this label.")]


@router.get("", operation_id="listModelAdaptations")
async def list_adaptations(operations: Using) -> Page[AdaptedModel]:
    """The models to whose servers requests are sent in another form, since they refused the usual one; how
    each change was learned, and when."""
    return await operations.adaptations.list()


@router.delete("", operation_id="resetAllModelAdaptations")
async def reset_all(operations: Using) -> ResetAdaptations:
    """Forget all of them: the next requests are sent in the usual form. What is still refused is learned
    again."""
    return await operations.adaptations.reset_all()


@router.get("/{name}", operation_id="getModelAdaptations")
async def get_adaptations(operations: Using, name: NamePath) -> AdaptedModel:
    """What was learned of one model at a server."""
    models = await operations.adaptations.list()
    return one_of(models, lambda one: one.name == name, f"adapted model {name}")


@router.delete("/{name}", operation_id="resetModelAdaptations")
async def reset(operations: Using, name: NamePath, label: Label = None) -> ResetAdaptations:
    """Forget those of one model, or one of them."""
    return await operations.adaptations.reset(name, label)

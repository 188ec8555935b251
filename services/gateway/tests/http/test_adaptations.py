"""What was learned of models: listed, and reset one by one or all."""

from typing import Any

import msgspec

from agent_contracts import event_sources
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import (
    ADAPTATIONS_KIND,
    Adaptation,
    LearnedAdaptation,
    ModelAdaptations,
    adaptations_name,
)
from agent_contracts.event_sources import Actor
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.running import RunningGateway

PATH = "/api/v1/model-adaptations"
NOW = "2026-11-27T16:00:00.000Z"
LEARNED = (
    LearnedAdaptation(Adaptation.NO_TOOLS, "does not support tools", NOW),
    LearnedAdaptation(Adaptation.WITHOUT_FIELD, "Unknown parameter", NOW, "stream_options"),
)


async def learn(gateway: RunningGateway, model: str) -> str:
    """As a model caller does; the entity's name."""
    value = ModelAdaptations("http://127.0.0.1:11434/v1", model, LEARNED)
    name = adaptations_name(value.server, model)
    entities = Entities(JetStreamLog(gateway.connection), SystemClock(), event_sources.MODEL_CALLER)
    key = EntityKey(SYSTEM_AGENT, ADAPTATIONS_KIND, name)
    await entities.write(key, msgspec.to_builtins(value), EntityWriter(f"learned {model}", Actor.SERVICE))
    return name


async def shown(gateway: RunningGateway) -> dict[str, list[str]]:
    """The labels of each model."""
    models: list[Any] = (await gateway.client.get(PATH)).json()["items"]
    return {one["model"]: [each["label"] for each in one["adaptations"]] for one in models}


async def test_what_was_learned_is_listed_with_how_and_reset_one_by_one(gateway: RunningGateway) -> None:
    client = gateway.client
    assert await shown(gateway) == {}
    name = await learn(gateway, "openai/a")
    (model,) = (await client.get(PATH)).json()["items"]
    assert (model["name"], model["server"]) == (name, "http://127.0.0.1:11434/v1")
    assert model["adaptations"][1] == {
        "label": "without_field stream_options",
        "adaptation": "without_field",
        "field": "stream_options",
        "meaning": "the field stream_options is left out",
        "said": "Unknown parameter",
        "learned_at": NOW,
    }
    assert (await client.delete(f"{PATH}/{name}", params={"label": "no_tools"})).json() == {"reset": 1}
    assert await shown(gateway) == {"openai/a": ["without_field stream_options"]}
    again = await client.delete(f"{PATH}/{name}", params={"label": "no_tools"})
    assert (again.status_code, again.json()["kind"]) == (404, "not_found")
    assert (await client.delete(f"{PATH}/{name}")).json() == {"reset": 1}
    assert await shown(gateway) == {}


async def test_all_are_reset_together(gateway: RunningGateway) -> None:
    await learn(gateway, "openai/a")
    await learn(gateway, "openai/b")
    assert list(await shown(gateway)) == ["openai/a", "openai/b"]
    assert (await gateway.client.delete(PATH)).json() == {"reset": 4}
    assert await shown(gateway) == {}
    assert (await gateway.client.delete(PATH)).json() == {"reset": 0}

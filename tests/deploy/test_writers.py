"""Who may write an event, as its readers judge it, is what NATS lets the services publish."""

import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import (
    BROWSER_POOL,
    ENGINE,
    GATEWAY,
    MCP_HOST,
    MODEL_CALLER,
    PROJECTOR,
    RUNNER,
    SCHEDULER,
    WORKSPACE_HOST,
)
from agent_contracts.kinds.registry import written_by
from agent_contracts.log.subjects import (
    ALL_CLAIMS,
    ALL_DECISIONS,
    ALL_ENTITIES,
    ALL_INPUTS,
    ALL_RESULTS,
    everyones_entities,
)
from agent_platform.services.discovery import discover

FILES = {everyones_entities(EntityKind.FILE), everyones_entities(EntityKind.PATH)}
WRITES = {
    GATEWAY: {ALL_INPUTS, ALL_ENTITIES},
    ENGINE: {ALL_INPUTS, ALL_DECISIONS, ALL_RESULTS, ALL_CLAIMS},
    MODEL_CALLER: {ALL_RESULTS},
    RUNNER: {ALL_RESULTS, ALL_CLAIMS, ALL_ENTITIES},
    MCP_HOST: {ALL_RESULTS, ALL_CLAIMS, everyones_entities(EntityKind.MCP_TOOLS), *FILES},
    BROWSER_POOL: {ALL_RESULTS, ALL_CLAIMS, *FILES},
    WORKSPACE_HOST: {ALL_RESULTS, ALL_CLAIMS, *FILES},
}


@pytest.mark.parametrize("source", WRITES)
def test_a_source_is_a_service_with_the_right_to_write_there(source: str) -> None:
    [declared] = [one for one in discover() if one.source == source]
    allowed = set(declared.rights.publish)
    missing = {subject for subject in WRITES[source] if subject not in allowed}
    assert missing <= ({ALL_ENTITIES} if source == GATEWAY else set())


@pytest.mark.parametrize(
    "source", [ENGINE, MODEL_CALLER, MCP_HOST, BROWSER_POOL, WORKSPACE_HOST, SCHEDULER, PROJECTOR]
)
def test_a_service_may_publish_the_kinds_that_it_writes_and_no_others(source: str) -> None:
    [declared] = [one for one in discover() if one.source == source]
    of_entities = [one.split(".") for one in declared.rights.publish if one.startswith("agt.")]
    assert {kind for _, _, kind, *name in of_entities if name} == {*written_by(source)}

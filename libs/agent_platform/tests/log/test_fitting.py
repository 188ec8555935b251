"""Which earlier records an event may rest on."""

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityDeleted, EntityKind, EntityWritten
from agent_contracts.errors import Permanent
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import Envelope, type_of
from agent_contracts.log.record.fitting import check
from agent_contracts.log.subjects import entity_subject

AGENT = AgentId("a1")


def fits(kind: EntityKind, name: str, *, on: str | None = None, deleted: bool = False) -> None:
    event = EntityDeleted(kind, name) if deleted else EntityWritten(kind, name, value={}, version=1)
    envelope = Envelope(
        "e", type_of(type(event)), event_sources.GATEWAY, "2026-01-31T12:34:56.000Z", actor=Actor.USER
    )
    check(on or entity_subject(AGENT, kind, name), envelope, event)


@pytest.mark.parametrize("name", ["a2", "A1", "a1 "])
@pytest.mark.parametrize("deleted", [False, True])
def test_an_agent_s_own_entity_is_named_as_the_agent(name: str, deleted: bool) -> None:
    with pytest.raises(Permanent, match="has its id as name") as refused:
        fits(EntityKind.AGENT, name, deleted=deleted)
    assert refused.value.kind == "bad_subject"


def test_a_deletion_of_the_agent_and_entities_of_other_kinds_stand_where_they_belong() -> None:
    fits(EntityKind.AGENT, AGENT, deleted=True)
    fits(EntityKind.TOOL, "other", deleted=True)


@pytest.mark.parametrize("name", ["", "x\x00y", "x" * 2_000])
def test_a_name_that_nothing_can_have_is_refused(name: str) -> None:
    with pytest.raises(Permanent, match=r"can be named|names what can't be"):
        fits(EntityKind.TOOL, name, deleted=True)


def test_it_stands_on_its_own_subject_only() -> None:
    with pytest.raises(Permanent, match="its place is"):
        fits(EntityKind.TOOL, "one", on=entity_subject(AGENT, EntityKind.TOOL, "other"), deleted=True)

"""What is erased with a session: its events, and the texts that are its alone."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import entity_subject
from agent_domain.erasing.scope import Scope

AGENT, SESSION = AgentId("a1"), SessionId("s1")


def test_a_sessions_notepad_and_plan_go_with_it_and_no_other_sessions() -> None:
    key = SessionKey(AGENT, SESSION)
    scope = Scope("s1", AGENT, (key,))
    own = {entity_subject(AGENT, kind, SESSION) for kind in (EntityKind.NOTEPAD, EntityKind.PLAN)}
    assert set(scope.of_the_log) == {key.everything, *own}
    assert all(scope.holds(subject) for subject in own)
    assert not scope.holds(entity_subject(AGENT, EntityKind.PLAN, SessionId("s2")))
    assert not scope.holds(entity_subject(AGENT, EntityKind.PLAYBOOK, "pb_1"))

"""Which reminders go with an erased session, and which stay."""

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_domain.erasing.reminders import reminders_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog

AGENT, SESSION = AgentId("default"), SessionId("s_1")


async def test_the_sessions_reminders_go_cancelled_ones_too_and_others_stay() -> None:
    log = MemoryLog()
    entities = Entities(log, SystemClock(), event_sources.RUNNER)
    for name, owner in (("r_mine", "s_1"), ("r_cancelled", "s_1"), ("r_theirs", "s_2")):
        value = {"session_id": owner, "at": "2030-01-01T00:00:00Z", "message": "x"}
        await entities.write(
            EntityKey(AGENT, EntityKind.REMINDER, name), value, EntityWriter.user(f"w-{name}")
        )
    await entities.delete(EntityKey(AGENT, EntityKind.REMINDER, "r_cancelled"), EntityWriter.user("cancels"))
    found = await reminders_of(log, AGENT, [SESSION])
    assert set(found.values()) == {"r_mine", "r_cancelled"}
    assert all(subject.startswith("agt.default.reminder.") for subject in found)

"""Which texts of packs go with an erased session, and which stay."""

from agent_contracts import event_sources
from agent_contracts.entities.enabled_packs import text_of_pack
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import entity_subject
from agent_contracts.packs import PromptText
from agent_domain.erasing.pack_texts import texts_of_packs
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog

AGENT, SESSION = AgentId("default"), SessionId("s_1")


async def test_those_of_the_session_go_and_the_agents_and_others_stay() -> None:
    log = MemoryLog()
    entities = Entities(log, SystemClock(), event_sources.RUNNER)
    own = PromptText("status", "Status", per_session=True)
    mine, theirs = (text_of_pack(own, SessionId(one)).name for one in ("s_1", "s_2"))
    for name in (mine, theirs, "notes", "memories"):
        key = EntityKey(AGENT, EntityKind.NOTES, name)
        await entities.write(key, {"text": "x"}, EntityWriter.user(f"w-{name}"))
    found = await texts_of_packs(log, AGENT, [SESSION])
    assert found == {entity_subject(AGENT, EntityKind.NOTES, mine)}

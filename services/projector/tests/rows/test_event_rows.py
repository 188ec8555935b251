"""Every message of the log is a row of `events`."""

import json

from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.ids import AgentId
from agent_contracts.log.address import at_place
from agent_contracts.log.subjects import database_subject
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import SESSION, answers, says, story, wants
from projections.log_tables import EVENTS


def test_every_event_is_archived_as_it_was_written() -> None:
    told = story().given(says("hello"))
    told.given(answers(told, "", [wants(told, "look")]))
    archived = list(MemoryTables().fold(as_messages(told.recorded, SESSION)).rows(EVENTS).values())
    assert [at_place(row.place) for row in archived] == [recorded.address for recorded in told.recorded]
    assert all(row.session_id == SESSION and row.agent_id == "default" for row in archived)
    assert all("type" not in json.loads(row.body) for row in archived)
    said = next(row for row in archived if row.type.endswith("user_message.v1"))
    assert json.loads(said.body) == {"text": "hello"}


async def test_what_is_written_to_an_agents_database_is_an_event_and_no_problem() -> None:
    log = MemoryLog()
    written = (DatabaseWritten("insert into t values (1)", [], 1, "5eed", 1, 1), DatabaseRestored(1))
    for before, event in enumerate(written):
        subject, origin = database_subject(AgentId("a1")), origin_of(event, prev=before)
        await log.append(event_message(event, subject, origin, SystemClock())[0])
    folded = MemoryTables().fold([message async for message in log.read(">")])
    assert [row.type for row in folded.rows(EVENTS).values()] == [
        "foldline.agent.database_written.v1",
        "foldline.agent.database_restored.v1",
    ]
    assert [row.problem for row in folded.rows(EVENTS).values()] == [None, None]

"""What an agent changed of itself: a line for each change, newest first, however many there are."""

from typing import Any

import pytest

from agent_contracts.log.address import Address
from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put, put_session


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await put(projections, "checkpoint", consumer="projector", sequence=0, version="test")
    return await start(dsn=postgres_dsn)


async def changes(gateway: RunningGateway, **params: Any) -> Any:
    answer = await gateway.client.get("/api/v1/agents/default/changes", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def put_change(
    tables: Tables, sequence: int, subject: str, body: dict[str, Any], actor: str = "agent"
) -> None:
    deleted = "value" not in body and "sql" not in body
    of = "database.written" if "sql" in body else f"entity.entity_{'deleted' if deleted else 'written'}"
    await put(
        tables,
        "events",
        place=Address(sequence).place,
        subject=f"agt.default.{subject}",
        agent_id="default",
        type=f"foldline.{of}.v1",
        time=at(sequence % 60),
        actor=actor,
        body=body,
    )


async def put_message(tables: Tables, sequence: int, session: str, text: str, **body: Any) -> None:
    row = {"place": Address(sequence).place, "role": "user", "text": text, "time": at(sequence)}
    await put(tables, "messages", session_id=session, body=body, **row)


async def test_a_line_says_what_why_by_which_session_and_whether_it_can_be_undone(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "idle")
    await put_message(projections, 1, "s_1", "Count my tea, please")
    by = {"session_id": "s_1", "call_id": "c_1"}
    await put_change(projections, 2, "state.tea", {"value": 1, "version": 1, **by})
    await put_message(projections, 3, "s_1", "The shop has sent something", woken_by="shop")
    await put_change(projections, 4, "state.tea", {"value": 2, "version": 2, **by})
    await put_change(projections, 5, "skill.brewing", {"value": "s", "version": 1}, actor="user")
    await put_change(projections, 6, "notepad.s_1", {"value": "mine", "version": 1, **by})
    changed, made = (await changes(reading))["items"]
    assert made == {
        "changed_at": at(2),
        "address": "2",
        "what": "made",
        "kind": "state",
        "name": "tea",
        "label": "tea",
        "version": 1,
        "session_id": "s_1",
        "title": "About s_1",
        "call_id": "c_1",
        "tool": None,
        "why": "Count my tea, please",
        "woken_by": None,
        "outside": [],
        "changed_since": "4",
    }
    assert (changed["what"], changed["why"], changed["woken_by"]) == (
        "changed",
        "The shop has sent something",
        "shop",
    )
    assert changed["changed_since"] is None
    await put_change(projections, 7, "state.tea", {"value": 3, "version": 3}, actor="user")
    assert (await changes(reading))["items"][0]["changed_since"] == "7"


async def test_a_change_was_not_asked_for_by_what_was_said_while_the_call_ran(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "idle")
    await put_message(projections, 1, "s_1", "Count my tea, please")
    await put_message(projections, 4, "s_1", "And now something else")
    of: dict[str, Any] = {"session_id": "s_1", "status": "completed"}
    decided = {"call_id": "m_1", "number": 1, "requested_place": Address(2).place}
    await put(projections, "model_calls", **of, **decided)
    call = {"call_id": "c_1", "model_call_id": "m_1", "position": 0, "tool": "set_state", "arguments": {}}
    await put(projections, "tool_calls", **of, **call)
    by = {"session_id": "s_1", "call_id": "c_1"}
    await put_change(projections, 5, "state.tea", {"value": 1, "version": 1, **by})
    assert [one["why"] for one in (await changes(reading))["items"]] == ["Count my tea, please"]


async def test_files_are_told_by_their_paths_also_when_they_are_deleted_and_the_database_by_statements(
    reading: RunningGateway, projections: Tables
) -> None:
    value = {"path": "plan.txt", "scope": "agent"}
    await put_change(projections, 1, "file.f_1", {"value": value, "version": 1})
    await put_change(projections, 2, "file.f_1", {"replaced": 1})
    await put_change(projections, 3, "file.f_2", {"value": {**value, "session_id": "s_1"}, "version": 1})
    await put_change(projections, 4, "db", {"sql": "DELETE FROM tea"})
    found = (await changes(reading))["items"]
    assert [(one["what"], one["kind"], one["label"]) for one in found] == [
        ("changed", "database", "DELETE FROM tea"),
        ("deleted", "file", "plan.txt"),
        ("made", "file", "plan.txt"),
    ]
    [database] = (await changes(reading, kind="database"))["items"]
    assert database["address"] == "4"


async def test_a_change_and_a_deletion_name_what_the_agent_had_read_by_then(
    reading: RunningGateway, projections: Tables
) -> None:
    page = {"kind": "web", "name": "evil.example", "at": "7", "session": "s_1"}
    await put_change(projections, 1, "state.tea", {"value": 1, "version": 1})
    await put_change(projections, 2, "state.tea", {"replaced": 1, "outside": [page]})
    await put_change(projections, 3, "db", {"sql": "DROP TABLE tea", "outside": [page]})
    found = (await changes(reading))["items"]
    sources = [[(source["kind"], source["name"]) for source in one["outside"]] for one in found]
    assert sources == [[("web", "evil.example")], [("web", "evil.example")], []]


async def test_ten_thousand_changes_are_turned_page_by_page(
    reading: RunningGateway, projections: Tables
) -> None:
    await projections.execute(
        """INSERT INTO events (place, subject, agent_id, type, time, actor, body)
           SELECT n * 4096, 'agt.default.state.k' || n % 100, 'default', 'foldline.entity.entity_written.v1',
                  '2026-01-31T12:00:00Z', 'agent', jsonb_build_object('value', n, 'version', n)
           FROM generate_series(1, 10000) n"""
    )
    seen: list[int] = []
    cursor = None
    while cursor is not None or not seen:
        page = await changes(reading, limit=200, **({"cursor": cursor} if cursor else {}))
        seen += [int(one["address"]) for one in page["items"]]
        cursor = page["next_cursor"]
    assert seen == list(range(10_000, 0, -1))
    [first] = (await changes(reading, limit=1))["items"]
    assert first["changed_since"] is None


async def test_a_kind_that_agents_do_not_change_and_a_foreign_cursor_are_refused(
    reading: RunningGateway,
) -> None:
    for params in ({"kind": "policy"}, {"cursor": "nothing"}):
        answer = await reading.client.get("/api/v1/agents/default/changes", params=params)
        assert answer.status_code == 422, answer.text

"""What waits for a person: everything that does, nothing else, in pages."""

from typing import Any

import pytest

from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put, put_event, put_session


async def put_call(tables: Tables, session_id: str, call_id: str, second: int, **more: Any) -> None:
    row = {
        "position": 0,
        "tool": "ask_user",
        "arguments": {"question": f"Which of {call_id}?"},
        "status": "pending",
        "runs_on": "tools",
        "requested_at": at(second),
        "show": {"kind": more.get("tool", "ask_user")},
    }
    await put(tables, "tool_calls", session_id=session_id, call_id=call_id, **{**row, **more})


async def put_tool(tables: Tables, name: str, sequence: int, *, enabled: bool = True) -> None:
    await put(
        tables,
        "entities",
        agent_id="default",
        kind="tool",
        name=name,
        value={"description": "d", "parameter_schema": {}, "code": "return 1", "enabled": enabled},
        enabled=enabled,
        version=1,
        sequence=sequence,
        actor="user",
        created_on=at(0),
        modified_on=at(0),
    )


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await put(projections, "checkpoint", consumer="projector", sequence=0, version="test")
    return await start(dsn=postgres_dsn)


async def waiting(gateway: RunningGateway, **params: Any) -> Any:
    answer = await gateway.client.get("/api/v1/attention", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


FAILED = {"failed_sequence": 7, "kind": "provider", "message": "The key is wrong", "retryable": False}
_GIVEN_UP = {**FAILED, "retry_at": None}


async def test_nothing_waits_at_first(reading: RunningGateway) -> None:
    assert await waiting(reading) == {"items": [], "total": 0, "next_cursor": None}


async def test_each_kind_of_thing_that_waits_is_told_newest_first_until_it_is_done(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_asks", "waiting_for_input")
    await put_call(projections, "s_asks", "c_1", 1)
    shown = {"title": "Choose", "blocks": []}
    await put_call(projections, "s_asks", "c_2", 2, tool="render_blocks", arguments=shown)
    await put_session(projections, "s_limit", "token_limit_reached", 3)
    await put_session(projections, "s_failed", "idle", 4, failed_turn=_GIVEN_UP)
    await put_session(projections, "s_unknown", "idle")
    unknown = {"status": "failed", "error": {"kind": "outcome_unknown", "message": "Nobody knows"}}
    await put_call(projections, "s_unknown", "c_3", 0, tool="send_mail", finished_at=at(5), **unknown)
    await put_tool(projections, "broken", 40)
    quarantine = {"tool": "broken", "written_at": 40, "message": "The schema is refused"}
    await put_event(projections, 6, "s_failed", "tool_quarantined", quarantine)
    await put_event(projections, 7, "s_asks", "tool_quarantined", quarantine)

    found = await waiting(reading)
    assert [(one["kind"], one["session_id"], one["tool"], one["text"]) for one in found["items"]] == [
        ("quarantine", "s_failed", "broken", "The schema is refused"),
        ("outcome", "s_unknown", "send_mail", "Nobody knows"),
        ("failure", "s_failed", None, "The key is wrong"),
        ("limit", "s_limit", None, "1001 of 1000"),
        ("call", "s_asks", "render_blocks", "Choose"),
        ("question", "s_asks", "ask_user", "Which of c_1?"),
    ]
    assert found["total"] == 6
    assert [one["started_at"] for one in found["items"]] == [at(second) for second in (6, 5, 4, 3, 2, 1)]
    assert found["items"][-1]["title"] == "About s_asks"

    await projections.execute("UPDATE tool_calls SET status = 'completed' WHERE status = 'pending'")
    await projections.execute("UPDATE sessions SET status = 'running', failed_turn = NULL")
    await projections.execute("UPDATE entities SET sequence = 41")
    await put_event(projections, 8, "s_unknown", "outcome_settled", {"call_id": "c_3", "happened": True})
    assert await waiting(reading) == {"items": [], "total": 0, "next_cursor": None}


async def test_what_came_late_waits_until_somebody_writes_in_its_chat(
    reading: RunningGateway, projections: Tables
) -> None:
    late = "Late: this was due on Monday, 2 March 2026 at 09:00 (UTC), 26 hours ago."
    await put_session(projections, "s_1", "idle")
    await put_session(projections, "st_1", "running")
    await put_session(projections, "s_over", "completed")
    by_schedule = {"what": "schedule", "name": "t_1", "late": late}
    await put_event(projections, 4, "st_1", "created", {"agent_id": "default", "begun_by": by_schedule})
    await put_event(projections, 5, "s_1", "reminder_due", {"reminder_id": "r_1", "message": "Tea"})
    due = {"reminder_id": "r_2", "message": "Tea", "late": late}
    for sequence, session in ((6, "s_1"), (7, "s_over")):
        await put_event(projections, sequence, session, "reminder_due", due)
    await put_event(projections, 8, "st_1", "user_message", {"text": f"read the news {late}"})
    await projections.execute("UPDATE events SET time = now()")
    found = await waiting(reading)
    assert {(one["kind"], one["session_id"], one["text"]) for one in found["items"]} == {
        ("late", "s_1", f"Tea {late}"),
        ("late", "st_1", late),
    }
    for sequence, session in ((9, "s_1"), (10, "st_1")):
        await put_event(projections, sequence, session, "user_message", {"text": "thanks"})
    await projections.execute("UPDATE events SET actor = 'user' WHERE sequence > 8")
    assert await waiting(reading) == {"items": [], "total": 0, "next_cursor": None}


async def test_what_goes_on_by_itself_or_is_over_is_not_told(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_soon", "idle", failed_turn={**FAILED, "retry_at": at(9)})
    await put_session(projections, "s_child", "token_limit_reached", parent_id="s_soon")
    await put_session(projections, "s_part", "idle", failed_turn=_GIVEN_UP, parent_id="s_soon")
    await put_session(projections, "s_parent", "waiting_for_input")
    await put_call(projections, "s_parent", "c_1", 1, tool="spawn_session", runs_on="engine")
    await put_session(projections, "s_over", "completed")
    await put_call(projections, "s_over", "c_2", 1)
    await put_session(projections, "s_error", "error", error_kind="x", error_message="y")
    await put_tool(projections, "off", 40, enabled=False)
    await put_event(projections, 6, "s_soon", "tool_quarantined", {"tool": "off", "written_at": 40})
    assert (await waiting(reading))["items"] == []


async def test_pages_follow_each_other_and_agents_are_apart(
    reading: RunningGateway, projections: Tables
) -> None:
    for number in range(7):
        session = f"s_{number}"
        agent = "other" if number == 3 else "default"
        await put_session(projections, session, "token_limit_reached", 1, agent_id=agent)
    cursor, seen, pages = None, [], 0
    while pages == 0 or cursor:
        page = await waiting(reading, limit=3, **({"cursor": cursor} if cursor else {}))
        seen += [one["session_id"] for one in page["items"]]
        cursor, pages = page["next_cursor"], pages + 1
        assert page["total"] == 7
    assert (sorted(seen), pages) == ([f"s_{number}" for number in range(7)], 3)
    (alone,) = (await waiting(reading, agent_id="other"))["items"]
    assert (alone["agent_id"], alone["session_id"]) == ("other", "s_3")
    refused = await reading.client.get("/api/v1/attention", params={"cursor": "x"})
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"title": "Choose a room", "blocks": [{"type": "markdown", "content": "Hi"}]}, "Choose a room"),
        ({"title": "", "blocks": [{"type": "alert", "content": "Nearly full"}]}, "Nearly full"),
        ({"blocks": [{"type": "form", "fields": [{"name": "n", "label": "How many?"}]}]}, "How many?"),
        ({"blocks": [{"type": "json", "data": {"a": 1}}]}, ""),
        ({"blocks": "none"}, ""),
        ({"component": "seat_map", "props": {}}, "seat_map"),
    ],
)
async def test_what_is_shown_is_told_by_its_title_or_its_first_words(
    reading: RunningGateway, projections: Tables, arguments: dict[str, Any], text: str
) -> None:
    await put_session(projections, "s_asks", "waiting_for_input")
    await put_call(projections, "s_asks", "c_1", 1, tool="render_blocks", arguments=arguments)
    (one,) = (await waiting(reading))["items"]
    assert one["text"] == text


async def test_a_long_question_is_told_by_its_beginning(reading: RunningGateway, projections: Tables) -> None:
    await put_session(projections, "s_asks", "waiting_for_input")
    await put_call(projections, "s_asks", "c_1", 1, arguments={"question": "é" * 5000})
    (one,) = (await waiting(reading))["items"]
    assert one["text"] == "é" * 500

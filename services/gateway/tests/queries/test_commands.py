"""What ran: each command of each call, newest first, by text, file, ending and session."""

from typing import Any

import pytest

from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put, put_event, put_session


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await put(projections, "checkpoint", consumer="projector", sequence=0, version="test")
    return await start(dsn=postgres_dsn)


async def ran(gateway: RunningGateway, **params: Any) -> Any:
    answer = await gateway.client.get("/api/v1/commands", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def command(text: str, *files: str, **more: Any) -> dict[str, Any]:
    touched = [{"path": path, "touch": "changed", "size": 3} for path in files]
    own = {"command_id": f"id {text}", "language": "shell", "command": text, "ending": "exited"}
    return {**own, **({"files": touched} if touched else {}), **more}


async def put_worked(tables: Tables, second: int, session: str, *commands: dict[str, Any]) -> None:
    body = {"call_id": f"c_{second}", "worked": {"commands": list(commands)}}
    await put_event(tables, second, session, "tool_call_completed", body)


async def test_a_command_is_told_with_its_call_and_its_files(
    reading: RunningGateway, projections: Tables
) -> None:
    assert await ran(reading) == {"items": [], "next_cursor": None}
    await put_session(projections, "s_1", "idle")
    done = command("make", "a.txt", exit_code=0, duration_ms=31, programs=["bash"])
    await put_worked(projections, 3, "s_1", done)
    await put_event(projections, 4, "s_1", "tool_call_completed", {"call_id": "c_4"})
    (one,) = (await ran(reading))["items"]
    assert one == {
        "recorded_at": at(3),
        "agent_id": "default",
        "session_id": "s_1",
        "title": "About s_1",
        "call_id": "c_3",
        "tool": None,
        "sequence": 3,
        "more_files": 0,
        "saw_all": True,
        **done,
    }


async def test_pages_and_filters(reading: RunningGateway, projections: Tables) -> None:
    for session in ("s_1", "s_2", "s_gone"):
        await put_session(projections, session, "idle")
    await put_worked(projections, 1, "s_1", command("sort a.csv", "out/A.csv"), command("ls"))
    await put_worked(
        projections, 2, "s_2", command("sleep 9", ending="timed_out"), command("sh -c '100%'", "b_c.txt")
    )
    await put_worked(projections, 3, "s_gone", command("sort a.csv", "out/a.csv"))
    await put(projections, "erasures", name="s_gone", agent_id="default", sequence=9)

    async def texts(**params: Any) -> list[str]:
        return [one["command"] for one in (await ran(reading, **params))["items"]]

    everything = ["sh -c '100%'", "sleep 9", "ls", "sort a.csv"]
    assert await texts() == everything
    assert await texts(command="SORT") == ["sort a.csv"]
    assert await texts(command="%") == ["sh -c '100%'"]
    assert await texts(file="a.CSV") == ["sort a.csv"]
    assert await texts(file="b_c") == ["sh -c '100%'"]
    assert await texts(file="b%c") == []
    assert await texts(ending="timed_out") == ["sleep 9"]
    assert await texts(session_id="s_2") == ["sh -c '100%'", "sleep 9"]
    assert await texts(agent_id="another") == []
    seen: list[str] = []
    cursor = None
    while True:
        page = await ran(reading, limit=1, **({"cursor": cursor} if cursor else {}))
        seen += [one["command"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == everything


@pytest.mark.parametrize("params", [{"ending": "well"}, {"command": "a\x00b"}, {"limit": 0}, {"cursor": "x"}])
async def test_what_cannot_be_asked_for_is_refused(reading: RunningGateway, params: dict[str, Any]) -> None:
    answer = await reading.client.get("/api/v1/commands", params=params)
    assert answer.status_code == 422, answer.text

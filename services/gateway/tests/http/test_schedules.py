"""Scheduled tasks, reminders and the agent's timezone over HTTP."""

from typing import Any

import msgspec
import pytest
import pytest_asyncio
from httpx import Response

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StartedRun, StoredScheduleRun
from agent_contracts.ids import AgentId, SessionId
from agent_domain.schedules.runs import runs_key
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.gateway.running import RunningGateway

pytestmark = pytest.mark.asyncio(loop_scope="module")

NEWS = {"name": "News", "task": "Read the news", "cron": "0 9 * * *", "timezone": "Europe/Oslo"}


class Agent:
    """One agent over HTTP."""

    def __init__(self, gateway: RunningGateway, agent_id: str) -> None:
        self.gateway = gateway
        self.id = AgentId(agent_id)

    async def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> Response:
        url = f"/api/v1/agents/{self.id}/{path}"
        sent = {} if body is None else {"json": body}
        return await self.gateway.client.request(method, url, **sent, **more)

    async def ok(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        answer = await self(method, path, body, **more)
        assert answer.status_code < 300, answer.text
        return answer.json()

    async def problem(self, method: str, path: str, body: Any = None) -> tuple[int, str, str | None]:
        answer = await self(method, path, body)
        told = answer.json()
        return answer.status_code, told["kind"], told.get("path")

    async def ran(self, schedule: str, *runs: StoredScheduleRun) -> None:
        """Write what the scheduler would write."""
        for number, run in enumerate(runs):
            writer = EntityWriter.user(f"{schedule}-{number}")
            value = msgspec.to_builtins(run)
            await self.gateway.entities.write(runs_key(self.id, schedule), value, writer)


@pytest_asyncio.fixture(loop_scope="module")
async def agent(shared_gateway: RunningGateway, request: pytest.FixtureRequest) -> Agent:
    """An agent of the test's own."""
    answer = await shared_gateway.client.post("/api/v1/agents", json={"name": "A", "starters": False})
    return Agent(shared_gateway, answer.json()["id"])


async def test_a_task_is_made_listed_changed_and_deleted(agent: Agent) -> None:
    made = await agent.ok("POST", "schedules", NEWS)
    assert (made["name"], made["cron"], made["enabled"], made["version"]) == ("News", "0 9 * * *", True, 1)
    assert len(made["next"]) == 5
    assert all(one[14:] == "00:00.000Z" for one in made["next"])
    assert made["next"] == sorted(made["next"])
    path = f"schedules/{made['id']}"
    assert (await agent.ok("GET", "schedules"))["items"] == [await agent.ok("GET", path)]
    changed = await agent.ok("PUT", path, {**NEWS, "cron": "@hourly", "overlap": "queue", "version": 1})
    assert (changed["cron"], changed["overlap"], changed["version"]) == ("0 * * * *", "queue", 2)
    assert (await agent.ok("PUT", path, {**NEWS, "cron": "@hourly", "overlap": "queue"}))["version"] == 2
    assert (await agent.problem("PUT", path, {**NEWS, "version": 1}))[:2] == (409, "conflict")
    back = await agent.ok("POST", f"{path}:revert", {"version": 1})
    assert (back["cron"], back["version"]) == ("0 9 * * *", 3)
    then = await agent.ok("GET", path, params={"at": changed["sequence"]})
    assert (then["cron"], then["next"]) == ("0 * * * *", [])
    assert (await agent.ok("DELETE", path))["deleted"]
    assert await agent.problem("GET", path) == (404, "not_found", "/id")
    assert [one["version"] for one in (await agent.ok("GET", f"{path}/versions"))["items"]] == [
        None,
        3,
        2,
        1,
    ]
    again = await agent.ok("POST", f"{path}:revert", {"version": 2})
    assert (again["cron"], again["version"]) == ("0 * * * *", 1)


async def test_a_repeat_of_one_key_makes_one_task(agent: Agent) -> None:
    headers = {"Idempotency-Key": "once"}
    first = await agent.ok("POST", "schedules", NEWS, headers=headers)
    second = await agent.ok("POST", "schedules", NEWS, headers=headers)
    assert first["id"] == second["id"]
    assert len((await agent.ok("GET", "schedules"))["items"]) == 1
    other = await agent("POST", "schedules", {**NEWS, "name": "x"}, headers=headers)
    assert (other.status_code, other.json()["kind"]) == (422, "idempotency_mismatch")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"cron": "0 25 * * *"}, "/cron"),
        ({"timezone": "Nowhere"}, "/timezone"),
        ({"task": " "}, "/task"),
        ({"cron": None, "at": "2020-01-01T00:00:00Z"}, "/at"),
        ({"at": "2199-01-01T00:00:00Z"}, "/cron"),
        ({"token_limit": 0}, "/token_limit"),
    ],
)
async def test_what_can_not_be_scheduled_is_refused_with_the_field_that_is_wrong(
    agent: Agent, change: dict[str, Any], path: str | None
) -> None:
    assert await agent.problem("POST", "schedules", {**NEWS, **change}) == (422, "invalid_request", path)
    assert (await agent.ok("GET", "schedules"))["items"] == []


async def test_the_next_times_of_what_is_not_stored_are_told_or_the_field_that_is_wrong(agent: Agent) -> None:
    await agent.ok("PATCH", "settings", {"values": {"timezone": "Asia/Kolkata"}})
    told = await agent.ok("POST", "schedules:preview", {"cron": "0 9 * * *"})
    assert (len(told["next"]), told["timezone"]) == (5, "Asia/Kolkata")
    assert all(one[11:] == "03:30:00.000Z" for one in told["next"])
    once = {"at": "2199-01-01T12:00", "timezone": "UTC"}
    assert (await agent.ok("POST", "schedules:preview", once))["next"] == ["2199-01-01T12:00:00.000Z"]
    for wrong, path in [
        ({"cron": "0 9 * *"}, "/cron"),
        ({"cron": "@daily", "timezone": "Nowhere"}, "/timezone"),
        ({"at": "2020-01-01T00:00:00Z"}, "/at"),
        ({}, "/at"),
    ]:
        assert await agent.problem("POST", "schedules:preview", wrong) == (422, "invalid_request", path)
    assert (await agent.ok("GET", "schedules"))["items"] == []


async def test_a_task_is_paused_and_goes_on(agent: Agent) -> None:
    made = await agent.ok("POST", "schedules", NEWS)
    paused = await agent.ok("POST", f"schedules/{made['id']}:pause")
    assert (paused["enabled"], paused["next"]) == (False, [])
    assert (await agent.ok("POST", f"schedules/{made['id']}:pause"))["version"] == paused["version"]
    still = await agent.ok("PUT", f"schedules/{made['id']}", {**NEWS, "cron": "@daily"})
    assert (still["enabled"], still["cron"]) == (False, "0 0 * * *")
    assert (await agent.ok("POST", f"schedules/{made['id']}:resume"))["enabled"]
    for action in ("pause", "resume", "run"):
        assert (await agent.problem("POST", f"schedules/t_none/{action}"))[:2] == (404, "not_found")


async def test_a_run_now_is_asked_of_the_scheduler_and_ten_wait_at_most(agent: Agent) -> None:
    made = await agent.ok("POST", "schedules", NEWS)
    answer = await agent("POST", f"schedules/{made['id']}:run", headers={"Idempotency-Key": "k"})
    assert answer.status_code == 202
    assert answer.json()["last_run"]["outcome"] == "asked"
    await agent.ok("POST", f"schedules/{made['id']}:run", headers={"Idempotency-Key": "k"})
    stored = await agent.gateway.entities.current(runs_key(agent.id, made["id"]))
    assert stored is not None
    assert len(stored.value["waiting"]) == 1
    for _ in range(9):
        await agent.ok("POST", f"schedules/{made['id']}:run")
    assert (await agent.problem("POST", f"schedules/{made['id']}:run"))[:2] == (413, "too_large")


async def test_the_history_tells_each_due_time_once_with_its_session(agent: Agent) -> None:
    made = await agent.ok("POST", "schedules", NEWS)
    times = [f"2030-01-0{day}T08:00:00Z" for day in range(1, 5)]
    first, second, third, fourth = times
    await agent.ran(
        made["id"],
        StoredScheduleRun(first, "started", SessionId("s_1")),
        StoredScheduleRun(first, "failed", SessionId("s_1"), reason="no model answers", failures=1),
        StoredScheduleRun(second, "started", SessionId("s_2")),
        StoredScheduleRun(third, "skipped", reason="the run before it is not over"),
        StoredScheduleRun(second, "succeeded", SessionId("s_2")),
        StoredScheduleRun(
            fourth, "started", SessionId("s_4"), running=(StartedRun(fourth, SessionId("s_4")),)
        ),
    )
    path = f"schedules/{made['id']}/runs"
    found = await agent.ok("GET", path)
    told = [(one["due_at"], one["outcome"], one["session_id"]) for one in found["items"]]
    expected = [
        (fourth, "started", "s_4"),
        (second, "succeeded", "s_2"),
        (third, "skipped", None),
        (first, "failed", "s_1"),
    ]
    assert told == expected
    assert found["items"][3]["reason"] == "no model answers"
    paged: list[str] = []
    before = None
    while True:
        page = await agent.ok("GET", path, params={"limit": 1, **({"cursor": before} if before else {})})
        paged += [one["due_at"] for one in page["items"]]
        before = page["next_cursor"]
        if before is None:
            break
    assert paged == [fourth, second, third, first]
    listed = (await agent.ok("GET", "schedules"))["items"][0]
    assert listed["last_run"]["session_id"] == "s_4"


async def test_reminders_are_listed_by_time_and_cancelled(agent: Agent) -> None:
    sequence = 0
    for name, session, at, done in (
        ("r_late", "s_1", "2199-01-01T00:00:00Z", None),
        ("r_soon", "s_2", "2198-01-01T00:00:00Z", None),
        ("r_told", "s_1", "2020-01-01T00:00:00Z", "told"),
    ):
        value = {"session_id": session, "at": at, "message": name, **({"done": done} if done else {})}
        key = EntityKey(agent.id, EntityKind.REMINDER, name)
        changed = await agent.gateway.entities.write(key, value, EntityWriter.user(f"w-{name}-{agent.id}"))
        sequence = sequence or changed.sequence or 0

    async def ids(**params: Any) -> list[str]:
        return [one["id"] for one in (await agent.ok("GET", "reminders", params=params))["items"]]

    assert await ids() == ["r_soon", "r_late"]
    assert await ids(over=True) == ["r_told", "r_soon", "r_late"]
    assert await ids(session_id="s_1") == ["r_late"]
    assert await ids(at=sequence) == ["r_late"]
    assert (await agent.ok("DELETE", "reminders/r_soon"))["deleted"]
    assert not (await agent.ok("DELETE", "reminders/r_soon"))["deleted"]
    assert await ids() == ["r_late"]
    assert len((await agent.ok("GET", "reminders/r_soon/versions"))["items"]) == 2


async def test_times_are_in_the_zone_that_the_agents_settings_name(agent: Agent) -> None:
    draft = {"name": "n", "task": "t", "at": "2199-01-01T12:00"}
    assert (await agent.ok("POST", "schedules", draft))["at"] == "2199-01-01T12:00:00.000Z"
    await agent.ok("PATCH", "settings", {"values": {"timezone": "Asia/Kolkata"}})
    assert (await agent.ok("POST", "schedules", draft))["at"] == "2199-01-01T06:30:00.000Z"
    await agent.ok("PATCH", "settings", {"values": {"timezone": None}})


@pytest.mark.parametrize("path", ["schedules", "reminders", "schedules/t_1/runs"])
async def test_an_agent_that_is_not_there_has_none(shared_gateway: RunningGateway, path: str) -> None:
    assert (await Agent(shared_gateway, "nobody").problem("GET", path))[:2] == (404, "not_found")

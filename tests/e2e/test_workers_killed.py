"""Ten workers that wait for each other, while the services are killed: each begins once, after what it
waits for."""

import time
from typing import Any

import pytest

from agent_contracts import service_names
from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline_testing.product.chaos.stage import Stage

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

ROOTS, ALL = 3, 10
VICTIMS = (
    service_names.ENGINE,
    service_names.MODEL_CALLER,
    "nats",
    service_names.ENGINE,
    service_names.GATEWAY,
)
_PATIENCE_S = 150.0


def _spawned(number: int) -> dict[str, Any]:
    after = {"depends_on_previous": True, "depends_on": ["s_imagined"]} if number >= ROOTS else {}
    objective = f"Do part {number:02} of the work."
    return {"name": "spawn_sub_session", "arguments": {"objective": objective, "timeout": 3_600, **after}}


SCRIPT = {
    "pace": {"first": 0.5},  # on a quick machine, too, each works for longer than a look takes
    "rules": [
        {
            "when": {"user_contains": "do all ten parts"},
            "turns": [
                {"tool_calls": [_spawned(number) for number in range(ALL)]},
                {"text": "Off they go."},
            ],
        },
        {
            "when": {"user_contains": "of the work."},
            "turns": [{"tool_calls": [{"name": "report_result", "arguments": {"result": "done"}}]}],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ],
}


def patiently(door: Gateway, path: str, **asked: Any) -> Any:
    """What is there, however often whoever answers was just killed."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return door.get(path, **asked)
        except Failure:
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


def test_each_of_ten_begins_once_after_what_it_waits_for(processes: Stage) -> None:
    processes.model.play(SCRIPT)
    victims = list(VICTIMS)
    with processes.stack.gateway() as door:
        agent = str(door.post("/agents", {"id": "foreman", "name": "Foreman", "starters": False})["id"])
        door.put(f"/agents/{agent}/packs", {"packs": ["wintermute"], "version": 0})
        session = str(door.post("/sessions", {"agent_id": agent, "message": "do all ten parts"})["id"])
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            children = patiently(door, f"/sessions/{session}")["children"]
            over = [one for one in children if one["status"] == "completed"]
            if len(over) == ALL:
                break
            if victims and len(over) >= 2 * (len(VICTIMS) - len(victims)):
                processes.stack.kill(victims.pop(0))
            time.sleep(0.2)
        assert [one["status"] for one in children] == ["completed"] * ALL
        assert not victims, f"{victims} were not killed in time"
        logs = [patiently(door, f"/sessions/{one['id']}/events", limit=200)["items"] for one in children]
    told = sorted(
        (
            log[0]["sequence"],
            [one["sequence"] for one in log if one["type"].endswith(".completed.v1")],
            [one["type"] for one in log].count("foldline.session.created.v1"),
        )
        for log in logs
    )
    assert [created for *_, created in told] == [1] * ALL, "each begins once"
    ends = [ended[0] for _, ended, _ in told]
    for place, (began, _, _) in enumerate(told[ROOTS:], ROOTS):
        assert began > max(ends[:place]), "after all that it waits for"

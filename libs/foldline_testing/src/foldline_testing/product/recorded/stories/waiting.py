"""Stories of what comes by itself: a reminder that comes due, a task in a session of its own."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from foldline_testing.product.recorded.player import MAIN, Player
from foldline_testing.product.recorded.story import Story, call, calls, when

_PATIENCE_S = 60.0
_REMIND = call("set_reminder", at="{{ after(3, 'seconds') }}", message="look at the oven")
_WATER = call("set_state", key="plants", value="wet")


def _reminder(play: Player) -> None:
    session = play.begin("remind me of the oven")
    play.settled(session)
    play.until(session, lambda state: "You said: look at the oven" in str(state["messages"]))
    play.settled(session)


def _scheduled_task(play: Player) -> None:
    at = (datetime.now(UTC) + timedelta(seconds=2)).isoformat()
    task = {"name": "Plants", "task": "water the plants", "at": at, "token_limit": 200_000}
    path = f"/agents/{play.story}/schedules"
    made = play.door.post(path, task, f"recorded-{play.story}-schedule")
    deadline = time.monotonic() + _PATIENCE_S
    while (begun := _session_of(play, f"{path}/{made['id']}")) is None:
        if time.monotonic() > deadline:
            raise TimeoutError(f"story {play.story}: the task does not begin")
        time.sleep(0.1)
    play.keep(begun, MAIN)
    play.settled(begun)


def _held_worker(play: Player) -> None:
    play.door.put(f"/agents/{play.story}/packs", {"packs": ["wintermute"], "version": 0})
    session = play.begin("prepare the trip")
    play.settled(session)
    state = play.until(session, lambda now: all(one["status"] == "completed" for one in now["children"]))
    for number, child in enumerate(state["children"], start=1):
        play.settled(play.keep(child["child_id"], f"child-{number}"), "completed")
    play.settled(session)


def _session_of(play: Player, path: str) -> str | None:
    runs: list[dict[str, Any]] = play.door.get(f"{path}/runs")["items"]
    return next((run["session_id"] for run in runs if run["session_id"]), None)


STORIES = (
    Story(
        "reminder",
        "A reminder that the agent set comes due, and the agent answers.",
        (when("remind me of", calls(_REMIND), {"text": "I will."}),),
        _reminder,
    ),
    Story(
        "scheduled-task",
        "A task that was due begins a session of its own.",
        (when("water the plants", calls(_WATER), {"text": "Watered."}),),
        _scheduled_task,
    ),
    Story(
        "held-worker",
        "A worker waits for another, and begins with what that found.",
        (
            when(
                "prepare the trip",
                calls(
                    call("spawn_sub_session", objective="Find a train."),
                    call("spawn_sub_session", objective="Book a seat.", depends_on_previous=True),
                ),
                {"text": "Two are at it."},
            ),
            when("Book a seat.", calls(call("report_result", result="Seat 12."))),
            when("Find a train.", calls(call("report_result", result="The 9 o'clock."))),
        ),
        _held_worker,
    ),
)

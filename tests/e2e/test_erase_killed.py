"""A chat is deleted while what does it is killed, at each step: it is gone, and nothing else is."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts.errors import Failure
from agent_contracts.log.subjects import BLOB_STREAM, LOG_STREAM, TIMER_STREAM
from agent_platform.process.stop_points import arm, has_fired
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.command import Command

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

SECRET = "what-nobody-may-find-after-a-kill"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "work long"},
            "turns": [{"tool_calls": [{"name": "ask_user", "arguments": {"question": SECRET}}]}],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
STEPS = (
    "gateway.erased",
    "erase.stopped",
    "erase.marked",
    "erase.blobs_marked",
    "erase.purged",
    "erase.blobs_removed",
    "erase.rows_removed",
)


@pytest.fixture(scope="module")
def erasing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A Foldline of its own: what is erased leaves holes in its log."""
    with stage(tmp_path_factory.mktemp("erasing")) as started:
        yield started


def told(door: Gateway, text: str) -> str:
    turn = ChatTurn(door, None)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn.session_id


async def _holding(erasing: Stage, session: str) -> list[str]:
    async with erasing.view() as view:
        words = await view.holding(SECRET, LOG_STREAM, BLOB_STREAM, TIMER_STREAM, "KV_snapshots")
        own = await view.holding("", LOG_STREAM, TIMER_STREAM, "KV_snapshots")
    return words + [one for one in own if session in one and ".erased." not in one]


def deleted(door: Gateway, session: str) -> None:
    """However often it must be asked."""
    deadline = time.monotonic() + 60
    while True:
        try:
            door.delete(f"/sessions/{session}")
        except Failure:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


def test_a_chat_is_gone_whichever_step_of_its_deletion_is_cut_off(erasing: Stage, tmp_path: Path) -> None:
    erasing.model.play(SCRIPT)
    foldline = Command(erasing.stack.data_dir, tmp_path)
    with erasing.stack.gateway() as door:
        other = told(door, "something else")
        for step in STEPS:
            session = told(door, f"work long {SECRET}")  # it waits for its person: it is stopped first
            arm(erasing.stop_dir, step)
            deleted(door, session)
            deadline = time.monotonic() + 60
            while left := asyncio.run(_holding(erasing, session)):
                assert time.monotonic() < deadline, (step, left)
                time.sleep(0.3)
            assert has_fired(erasing.stop_dir, step), step
        assert door.get(f"/sessions/{other}/state")["status"] == "idle"
    for look in (("projections", "check"), ("doctor",), ("replay", "--strict")):
        deadline = time.monotonic() + 60
        while (found := foldline(*look)).code != 0:
            assert time.monotonic() < deadline, found.out + found.err
            time.sleep(1)

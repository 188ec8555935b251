"""A runner dies while it acts on the world: a person looks what became of it, and the model goes on."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import expect

from agent_contracts.errors import Rejected
from agent_platform.process.stop_points import arm
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.typing import write

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

T = TypeVar("T")
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "send the letter"},
            "turns": [
                {"tool_calls": [{"name": "selftest_external", "arguments": {"note": "letter"}}]},
                {"text": "I don't know whether it was sent."},
            ],
        },
        {"when": {"user_contains": "I looked"}, "reply": {"text": "Then I send no second one."}},
    ]
}


def soon(look: Callable[[], T | None]) -> T:
    """What it is once it is anything; the tables lag behind the log."""
    deadline = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < deadline, "nothing came of it"
        time.sleep(0.05)
    return found


def _lost(processes: Stage, door: Gateway) -> tuple[str, dict[str, Any]]:
    """A session whose letter may or may not have been sent, and the call."""
    processes.model.play(SCRIPT)
    arm(processes.stop_dir, "runner.ran")
    turn = ChatTurn(door, None)
    turn.say("send the letter")
    for _ in turn.pieces():
        pass
    assert turn.answer == "I don't know whether it was sent."
    [lost] = soon(lambda: _unknown(door, turn.session_id))
    return turn.session_id, lost


def _unknown(door: Gateway, session_id: str) -> list[dict[str, Any]]:
    return [one for one in door.get("/outcomes")["items"] if one["session_id"] == session_id]


def _answered(door: Gateway, session_id: str) -> dict[str, Any] | None:
    state: dict[str, Any] = door.get(f"/sessions/{session_id}/state")
    is_so = state["status"] == "idle" and state["messages"][-1]["text"].startswith("Then")
    return state if is_so else None


def test_a_person_settles_what_became_of_a_call_whose_runner_died(processes: Stage, tmp_path: Path) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    try:
        with processes.stack.gateway() as door:
            session, lost = _lost(processes, door)
            call = lost["call_id"]
            assert lost["tool"] == "selftest_external"
            acts = processes.acts.file.read_text().splitlines()
            assert len([line for line in acts if line.startswith(f"{session} {call} ")]) == 1
            assert f"{session}/{call}" in foldline("outcomes", "list").out
            alone = foldline("outcomes", "settle", call, "--happened")  # others may be called the same
            assert (alone.code, "No call" in alone.err) == (1, True), alone

            done = foldline(
                "outcomes", "settle", f"{session}/{call}", "--happened", "--note", "It lies on her desk."
            )
            assert done.code == 0, done
            state = soon(lambda: _answered(door, session))
            assert [one["text"] for one in state["messages"][-2:]] == [
                f"About call {call}, whose outcome was unknown: I looked. It did its work. "
                "It lies on her desk.",
                "Then I send no second one.",
            ]
            assert soon(lambda: not _unknown(door, session))
            assert f"{session}/{call}" not in foldline("outcomes", "list").out
            with pytest.raises(Rejected) as again:
                door.post(f"/outcomes/{session}/{call}:settle", {"happened": False})
            assert again.value.kind == "conflict"
            acts = processes.acts.file.read_text().splitlines()
            assert len([line for line in acts if line.startswith(f"{session} {call} ")]) == 1
    finally:
        processes.model.play(story.script())


@pytest.mark.browser
def test_in_the_studio_too_and_the_agent_goes_on(
    processes: Stage, new_page: Callable[..., WatchedPage], screenshots: Path, axe: Path
) -> None:
    try:
        with processes.stack.gateway() as door:
            session, lost = _lost(processes, door)
            page = new_page(processes.stack.url).page
            page.goto(processes.stack.link)
            expect(page.get_by_role("link", name=re.compile("^Studio"))).to_be_visible()
            page.goto(f"{processes.stack.url}/#/studio/default/outcomes")
            named = page.get_by_role("listitem", name=f"Call {lost['call_id']} of selftest_external")
            call = named.filter(has=page.locator(f"a[href='#/s/{session}']"))
            expect(call.get_by_text("Unknown", exact=True)).to_be_visible()
            Looks(page, [(PHONE, "dark"), (DESKTOP, "light")], screenshots, axe).check("studio-outcomes")
            write(call.get_by_label("Note for the agent"), "It lies on her desk.")
            call.get_by_role("button", name="It happened").click()
            state = soon(lambda: _answered(door, session))
            assert state["messages"][-2]["text"].endswith("It did its work. It lies on her desk.")
            expect(call).to_have_count(0)
            page.get_by_label("Show settled calls too").check()
            expect(call.get_by_text("It happened", exact=True)).to_be_visible()
            expect(call.get_by_role("button", name="It did not happen")).to_have_count(0)
    finally:
        processes.model.play(story.script())

"""`foldline rewind --agent`: the preview, the question, a kind or a thing, the way back, what is refused."""

import uuid
from pathlib import Path

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    return Command(stack.data_dir, tmp_path)


class Restored:
    """An agent that was changed after the event `good`."""

    def __init__(self, door: Gateway) -> None:
        self.door = door
        self.id = f"restored-{uuid.uuid4().hex[:8]}"
        door.post("/agents", {"id": self.id, "name": "Restored", "starters": False})
        self.put("/prompt", {"text": "Be kind."})
        self.good = self.put("/state/colour", {"value": "red"})
        self.put("/state/colour", {"value": "green"})
        self.put("/state/colour", {"value": "blue"})
        self.put("/state/added", {"value": 1})
        self.put("/prompt", {"text": "Be brief."})

    def put(self, path: str, body: dict[str, object]) -> int:
        return int(self.door.put(f"/agents/{self.id}{path}", body)["sequence"])

    @property
    def now(self) -> tuple[str, str, list[str]]:
        """Its prompt, the colour, and the keys of its state."""
        path = f"/agents/{self.id}"
        keys = [one["key"] for one in self.door.get(f"{path}/state")["items"]]
        colour = self.door.get(f"{path}/state/colour")["value"]
        return self.door.get(f"{path}/prompt")["text"], colour, sorted(keys)

    @property
    def words(self) -> tuple[str, ...]:
        return ("rewind", "--agent", self.id, "--to", str(self.good))


CHANGED = ("Be brief.", "blue", ["added", "colour"])
FIRST = ("Be kind.", "red", ["colour"])


@pytest.fixture
def agent(door: Gateway) -> Restored:
    return Restored(door)


def test_it_shows_what_would_change_and_no_leaves_all_as_it_is(foldline: Command, agent: Restored) -> None:
    asked = foldline(*agent.words, stdin="n\n")
    assert asked.code == 1, asked
    assert "Rewind the agent?" in asked.out
    lines = asked.out.splitlines()
    assert "~ state/colour 2 changes by you" in lines
    assert "- state/added 1 change by you" in lines
    assert any(line.startswith("~ prompt/") for line in lines), lines
    preview = foldline(*agent.words, "--json").json
    assert {kind["kind"]: kind["count"] for kind in preview["kinds"]} == {"prompt": 1, "state": 2}
    assert agent.now == CHANGED


def test_yes_rewinds_and_what_it_says_then_undoes_that(foldline: Command, agent: Restored) -> None:
    done = foldline(*agent.words, stdin="y\n")
    assert done.code == 0, done
    assert f"the agent is what it was after event {agent.good}" in done.out
    assert agent.now == FIRST
    undo = done.out.rpartition("To undo this: foldline ")[2].split()
    undone = foldline(*undo, "--agent", agent.id, "--yes", "--json")
    assert undone.code == 0, undone
    assert undone.json["rewound"] == {"prompt": 1, "state": 2}
    assert agent.now == CHANGED


def test_one_kind_goes_back_or_one_thing(foldline: Command, agent: Restored) -> None:
    one = foldline(*agent.words, "--only", "state/colour", stdin="y\n")
    assert one.code == 0, one
    assert "state/added" not in one.out
    assert "prompt" not in one.out
    assert agent.now == ("Be brief.", "red", ["added", "colour"])
    kind = foldline(*agent.words, "--only", "prompt", "--yes", "--json")
    assert kind.json["rewound"] == {"prompt": 1}
    assert agent.now == ("Be kind.", "red", ["added", "colour"])
    again = foldline(*agent.words, "--only", "prompt")
    assert (again.code, "Nothing of that has changed since." in again.out) == (0, True), again


def test_what_is_no_event_and_no_kind_is_refused(foldline: Command, agent: Restored) -> None:
    future = foldline("rewind", "--agent", agent.id, "--to", str(10**9), "--yes")
    assert (future.code, "There is no event 1000000000 yet" in future.err) == (1, True), future
    for wrong in ("0", "never", "-1"):
        assert foldline("rewind", "--agent", agent.id, "--to", wrong, "--yes").code == 2
    for kind in ("tols", "secret", "tols/warm"):
        refused = foldline(*agent.words, "--only", kind, "--yes")
        assert (refused.code, "can't be rewound: choose among" in refused.err) == (1, True), refused
    nobody = foldline("rewind", "--agent", "nobody", "--to", str(agent.good), "--yes")
    assert (nobody.code, "Traceback" in nobody.err) == (1, False), nobody
    assert agent.now == CHANGED

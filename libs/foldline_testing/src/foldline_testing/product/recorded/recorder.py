"""Records stories: plays them on the real product, exports their sessions, and holds twin against product."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent_contracts.sessions import session_file
from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import has_lists
from foldline_testing.product.recorded.canonical import canonical
from foldline_testing.product.recorded.meaning import events_view, expected_of
from foldline_testing.product.recorded.player import Player
from foldline_testing.product.recorded.recording import Recording
from foldline_testing.product.recorded.requests import hash_of
from foldline_testing.product.recorded.story import Story
from foldline_testing.product.stack import Stack
from model_caller.providers.merging import merged

_SETTINGS = {
    "FOLDLINE_MODEL_RETRIES": "1",
    "FOLDLINE_RETRY_DELAYS": "1,3600",
    "FOLDLINE_SELFTEST_TOOLS": "true",
    "FOLDLINE_SELFTEST_FILE": "/dev/null",
}
_LIMIT = 500


class NotAsRecorded(Exception):
    """What is computed of a recording is not what the product answered while it was made."""


@contextmanager
def running(data_dir: Path) -> Iterator[tuple[Gateway, ModelServer]]:
    """A Foldline of its own, with the scripted model."""
    with (
        ModelServer({"rules": [{"reply": {"text": "hello"}}]}) as model,
        Stack(data_dir, env=model.environment() | _SETTINGS) as stack,
        stack.gateway() as door,
    ):
        has_lists(door)
        yield door, model


def record(stories: Sequence[Story], data_dir: Path) -> Iterator[Recording]:
    """Play the stories, one after another, on one new Foldline."""
    with running(data_dir) as (door, model):
        for story in stories:
            yield recorded(story, door, model)


def recorded(story: Story, door: Gateway, model: ModelServer) -> Recording:
    """Play one story and take down everything about it. Raises `NotAsRecorded`."""
    model.play(story.script)
    model.recording.requests.clear()
    play = Player(story.name, door, model)
    story.play(play)
    sessions = {
        label: session_file.read(door.download(f"/sessions/{session}/export"))
        for label, session in play.sessions.items()
    }
    seen = {label: _seen(play, session) for label, session in play.sessions.items()}
    recording = Recording(story.name, sessions, asyncio.run(expected_of(sessions)), seen)
    sent = [_as_sent(one.body) for one in model.recording.requests]
    for label, session in play.sessions.items():
        _check(recording, label, door, session, sent)
    return recording


def _seen(play: Player, session: str) -> dict[str, Any]:
    """What people see of a session: `pages` of messages as they looked, in order, the last at the end."""
    play.look(session)
    return {
        "events": _events(play.door, session),
        "pages": play.pages[session],
        "timeline": play.door.get(f"/sessions/{session}/timeline", limit=_LIMIT),
    }


def _events(door: Gateway, session: str) -> list[Any]:
    found: list[Any] = []
    after: str | None = "0"
    while after is not None:
        page = door.get(f"/sessions/{session}/events", cursor=after, limit=_LIMIT)
        found += page["items"]
        after = page["next_cursor"]
    return found


def _check(recording: Recording, label: str, door: Gateway, session: str, sent: list[str]) -> None:
    """Hold what is computed in memory against what the product says."""
    expected = recording.expected["sessions"][label]

    def same(what: str, computed: Any, answered: Any) -> None:
        if canonical(computed) != canonical(answered):
            raise NotAsRecorded(f"{recording.name}, {label}: {what}\n{computed}\nthe product:\n{answered}")

    for state in expected["states"]:
        same("state", state["view"], door.get(f"/sessions/{session}/state", at=state["at"]))
    replayed = door.post(f"/sessions/{session}:replay", {"mode": "strict"})
    same("decisions", {**expected["decisions"], "difference": None}, _without_id(replayed))
    same("events", events_view(recording.sessions[label]), recording.seen[label]["events"])
    for request in expected["requests"]:
        shown = door.get(f"/sessions/{session}/model-calls/{request['call_id']}")["request"]
        same("request", request["sha256"], hash_of(shown))
        if _as_sent(shown) not in sent:
            raise NotAsRecorded(f"{recording.name}, {label}: the model never got request {request}")


def _without_id(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "session_id"}


def _as_sent(body: dict[str, Any]) -> str:
    """What the scripted model and `show --call` know of a request: neighbours of one role are sent as one
    message, and litellm leaves out what is empty."""
    return canonical({"messages": [*merged(body["messages"])], "tools": body.get("tools") or []})

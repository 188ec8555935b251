"""Recorded sessions come to what they came to when they were recorded: states, rows, requests, decisions.

Each check is shown to fail where something of it changes.
"""

import asyncio
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import inputs
from agent_contracts.sessions.session_file import FileBlob, FileEvent, SessionFile
from agent_platform.log.port import Log
from foldline_testing.product.changed_decide import changed_decide
from foldline_testing.product.recorded import meaning
from foldline_testing.product.recorded.canonical import canonical, fingerprint
from foldline_testing.product.recorded.differences import differences, same_course
from foldline_testing.product.recorded.recorder import record
from foldline_testing.product.recorded.recording import (
    Recording,
    as_read,
    blobs_of,
    log_of,
    read,
    stories_in,
    write,
)
from foldline_testing.product.recorded.requests import requests_shown
from foldline_testing.product.recorded.stories.every import STORIES as PLAYED
from foldline_testing.product.recorded.words import FILE, words_of
from session_domain.domain.shown.shapes import SHAPES
from session_domain.domain.state import SessionState
from session_domain.folding import fold_event

FOLDER = Path(__file__).parent
STORIES = stories_in(FOLDER)
story = pytest.mark.parametrize("name", STORIES)


@cache
def recorded(name: str) -> Recording:
    return read(FOLDER / name)


def computed(recording: Recording, fold: meaning.Fold = fold_event) -> dict[str, Any]:
    """Each session's part of what is expected, by today's code."""

    async def all_of_them() -> dict[str, Any]:
        log, blobs = log_of(recording.sessions), await blobs_of(recording.sessions)
        return {
            label: await meaning.session_meaning(
                log, blobs, SessionKey(file.head.agent_id, file.head.session_id), fold
            )
            for label, file in recording.sessions.items()
        }

    found: dict[str, Any] = plain(asyncio.run(all_of_them()))
    return found


def plain(value: Any) -> Any:
    """As it is in a file of JSON."""
    return json.loads(canonical(value))


def differing(recording: Recording, part: str, now: dict[str, Any]) -> list[str]:
    """The sessions of which a part is not what is expected."""
    then = recording.expected["sessions"]
    return [label for label in then if then[label][part] != now[label][part]]


def test_there_is_a_recording_of_everything_that_a_session_may_go_through() -> None:
    assert len(STORIES) >= 12
    held = {event.headers["ce-type"] for name in STORIES for event in recorded(name).events()}
    from_outside = {"woken"}  # told end to end by tests/e2e/test_wakes.py
    too_late = {"input_refused"}  # the gateway refuses first, unless it lost a race
    types = {name.split(".")[2] for name in meaning.EVERY_TYPE}
    assert types - {one.split(".")[2] for one in held} == from_outside | too_late


@story
def test_events_fold_to_the_recorded_states(name: str) -> None:
    recording, now = recorded(name), computed(recorded(name))
    for part in ("states", "fingerprints"):
        assert differing(recording, part, now) == []


@story
def test_the_recorded_requests_are_built_again_byte_for_byte(name: str) -> None:
    assert differing(recorded(name), "requests", computed(recorded(name))) == []


def shown(recording: Recording) -> dict[str, str]:
    """The hash of each request as it is shown, of those whose result says which messages it showed."""

    async def all_of_them() -> dict[str, str]:
        log, blobs = log_of(recording.sessions), await blobs_of(recording.sessions)
        found: dict[str, str] = {}
        for label, file in recording.sessions.items():
            key = SessionKey(file.head.agent_id, file.head.session_id)
            requests = await requests_shown(log, blobs, key)
            found |= {f"{label} {call_id}": sha256 for call_id, sha256 in requests.items()}
        return found

    return asyncio.run(all_of_them())


def test_recorded_requests_are_shown_byte_for_byte_whatever_the_prompt_looks_like_today(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in SHAPES:
        monkeypatch.setitem(SHAPES, kind, "in other words")
    compared = 0
    for name in STORIES:
        expected = {
            f"{label} {request['call_id']}": request["sha256"]
            for label, session in recorded(name).expected["sessions"].items()
            for request in session["requests"]
        }
        now = shown(recorded(name))
        assert now == expected, name
        compared += len(now)
    assert compared > 0


@story
def test_strict_replay_makes_every_recorded_decision(name: str) -> None:
    recording, now = recorded(name), computed(recorded(name))
    assert differing(recording, "decisions", now) == []
    assert all("difference" not in session["decisions"] for session in now.values())


@story
def test_the_projection_makes_the_recorded_rows(name: str) -> None:
    recording = recorded(name)
    rows = plain(meaning.rows_of(recording.events()))
    for table, expected in recording.expected["rows"].items():
        assert rows[table] == expected, table


@story
def test_the_api_shows_the_recorded_events(name: str) -> None:
    recording = recorded(name)
    for label, file in recording.sessions.items():
        assert plain(meaning.events_view(file)) == recording.seen[label]["events"]


def test_a_fold_that_forgets_something_is_noticed() -> None:
    async def forgets_titles(log: Log, state: SessionState, event: RecordedEvent[Any]) -> SessionState:
        folded = await fold_event(log, state, event)
        return msgspec.structs.replace(folded, title=None)

    recording = recorded("plain-chat")
    now = computed(recording, forgets_titles)
    assert [differing(recording, part, now) for part in ("states", "fingerprints")] == [["session"]] * 2


def test_a_fold_that_differs_between_two_kept_states_is_noticed() -> None:
    middle = recorded("plain-chat").expected["sessions"]["session"]["states"][0]["at"] + 1

    async def stumbles(log: Log, state: SessionState, event: RecordedEvent[Any]) -> SessionState:
        folded = await fold_event(log, state, event)
        return msgspec.structs.replace(folded, ran_ms=folded.ran_ms + (event.sequence == middle))

    recording = recorded("plain-chat")
    states = meaning.states_of(
        log_of(recording.sessions), SessionKey(recording.agent_id, recording.session_id("session")), stumbles
    )
    found = [[at, fingerprint(meaning.state_json(state))] for at, state in asyncio.run(states)]
    expected = recording.expected["sessions"]["session"]["fingerprints"]
    assert next(ours[0] for ours, theirs in zip(found, expected, strict=True) if ours != theirs) == middle


def test_an_engine_that_decides_otherwise_is_noticed() -> None:
    recording = recorded("plain-chat")
    found = asyncio.run(
        meaning.decisions_of(
            log_of(recording.sessions),
            SessionKey(recording.agent_id, recording.session_id("session")),
            changed_decide(),
        )
    )
    assert found["difference"]["recorded"]["type"] == "foldline.session.became_idle.v1"


def test_a_request_in_other_words_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHAPES, "user", [{"role": "user", "content": "in other words"}])
    now = computed(recorded("tool-calls"))
    assert differing(recorded("tool-calls"), "requests", now) == ["session"]
    assert differing(recorded("tool-calls"), "states", now) == []


def changed(recording: Recording, event_type: type, **members: Any) -> Recording:
    """The recording, but that the first event of a type says something else."""

    def other(event: FileEvent) -> FileEvent:
        if event.sequence != first.sequence:
            return event
        body = json.dumps({**json.loads(event.data), **members})
        return msgspec.structs.replace(event, data=body)

    tag = event_type.__struct_config__.tag  # type: ignore[attr-defined]
    first = next(event for event in recording.events() if event.headers["ce-type"] == tag)
    sessions: dict[str, SessionFile] = {
        label: msgspec.structs.replace(file, events=tuple(map(other, file.events)))
        for label, file in recording.sessions.items()
    }
    return Recording(recording.name, sessions, recording.expected, recording.seen)


def test_an_event_that_says_something_else_is_noticed_by_every_check() -> None:
    other = changed(recorded("plain-chat"), inputs.UserMessage, text="Something else")
    now = computed(other)
    for part in ("states", "fingerprints", "requests", "decisions"):
        assert differing(other, part, now) == ["session"], part
    assert plain(meaning.rows_of(other.events()))["messages"] != other.expected["rows"]["messages"]
    events = plain(meaning.events_view(other.sessions["session"]))
    assert events != other.seen["session"]["events"]


def test_a_new_recording_is_compared_in_words() -> None:
    old = recorded("plain-chat")
    assert differences(old, old) == []
    other = changed(old, inputs.UserMessage, text="Something else")
    anew = Recording(old.name, other.sessions, asyncio.run(meaning.expected_of(other.sessions)), old.seen)
    told = differences(old, as_read(anew))
    assert [one.partition(" differs")[0] for one in told] == [
        "events",
        "state",
        "decisions",
        "request 1",
        "request 2",
        "request 3",
        "rows of messages",
    ]
    assert "Something else" in told[0]


def in_other_words(recording: Recording) -> Recording:
    """The recording, but that each request describes its tools in other words, of more tokens."""
    sessions = {}
    expected = json.loads(canonical(recording.expected))
    for label, file in recording.sessions.items():
        blobs = {blob.sha256: blob.data for blob in file.blobs}
        for request in expected["sessions"][label]["requests"]:
            manifest = json.loads(blobs[request["context"]])
            for sha256 in manifest["tools"]:
                definition = json.loads(blobs[sha256])
                definition["function"]["description"] += " In other words."
                blobs[sha256] = canonical(definition).encode()
        events = tuple(msgspec.structs.replace(event, data=more_tokens(event.data)) for event in file.events)
        told = tuple(FileBlob(sha256, data) for sha256, data in blobs.items())
        sessions[label] = msgspec.structs.replace(file, events=events, blobs=told)
    return Recording(recording.name, sessions, expected, recording.seen)


def more_tokens(data: str) -> str:
    return re.sub(r'(?<="usage":{"input":)\d+', lambda count: str(int(count[0]) + 100), data)


def test_the_same_in_other_words_is_the_same_course_and_keeps_its_files(tmp_path: Path) -> None:
    old = recorded("plain-chat")
    other = in_other_words(old)
    assert differences(old, other)
    assert same_course(old, other)
    assert words_of([old]) != words_of([other])
    assert words_of([old])["system"] == words_of([other])["system"]
    assert not same_course(old, changed(other, inputs.UserMessage, text="Something else"))


def test_more_tokens_in_the_same_words_are_another_course() -> None:
    old = recorded("plain-chat")
    events = {
        label: tuple(msgspec.structs.replace(event, data=more_tokens(event.data)) for event in file.events)
        for label, file in old.sessions.items()
    }
    sessions = {
        label: msgspec.structs.replace(file, events=events[label]) for label, file in old.sessions.items()
    }
    assert not same_course(old, Recording(old.name, sessions, old.expected, old.seen))


@pytest.mark.parametrize(
    ("member", "file"), [("states", "fold.json"), ("requests", "requests.json"), ("rows", "rows.json")]
)
def test_what_changes_of_a_story_changes_one_file(tmp_path: Path, member: str, file: str) -> None:
    old = recorded("plain-chat")
    assert len(write(old, tmp_path)) == 6  # a new story
    assert write(old, tmp_path) == []
    expected = json.loads(canonical(old.expected))
    if member == "rows":
        expected["rows"]["messages"][0]["text"] = "Something else"
    else:
        expected["sessions"]["session"][member] = expected["sessions"]["session"][member][1:]
    assert write(Recording(old.name, old.sessions, expected, old.seen), tmp_path) == [file]
    assert read(tmp_path / old.name).expected == expected


@pytest.mark.processes
def test_the_product_still_does_what_was_recorded_and_in_the_words_that_are_noted(tmp_path: Path) -> None:
    played = next(one for one in PLAYED if one.name == "plain-chat")
    (anew,) = record([played], tmp_path)
    assert same_course(recorded(played.name), as_read(anew))
    noted = json.loads((FOLDER / FILE).read_text())
    for place, texts in words_of([anew]).items():
        for name, hashes in texts.items():
            assert set(hashes) <= set(noted[place][name]), f"`make record`: {name} is in other words"


def test_a_member_that_is_null_now_is_told_of() -> None:
    old = recorded("plain-chat")
    expected = json.loads(canonical(old.expected))
    expected["sessions"]["session"]["states"][-1]["newly_kept"] = None
    (told,) = differences(old, Recording(old.name, old.sessions, expected, old.seen))
    assert told == "state differs at /newly_kept: nothing → null"

"""`foldline erase`: everything of a session or an agent is gone, and the rest is as it was."""

import asyncio
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import BLOB_STREAM, DLQ_STREAM, LOG_STREAM, SITE_LOGINS_BUCKET, TIMER_STREAM
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.site_logins.site_logins import SiteLogins
from agent_domain.site_logins.sites import StorageState
from agent_platform.process.clock import SystemClock
from agent_platform.process.stop_points import STOP_DIR, arm
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

SECRET = "the-word-that-nobody-may-find-again"
HELPER = [{"name": "spawn_session", "arguments": {"task": f"[helper] {SECRET}"}}]
WRITTEN = {"path": "{{ match.path }}", "text": "{{ match.text }}"}
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"\[helper\] (?P<what>.*)"},
            "turns": [{"tool_calls": [{"name": "report_result", "arguments": {"result": "done"}}]}],
        },
        {"when": {"user_contains": "a helper"}, "turns": [{"tool_calls": HELPER}, {"text": SECRET}]},
        {
            "when": {"user_matches": r"write (?P<path>\S+): (?P<text>.*)"},
            "turns": [
                {"tool_calls": [{"name": "file_create", "arguments": WRITTEN}]},
                {"text": "written"},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
STREAMS = (LOG_STREAM, BLOB_STREAM, DLQ_STREAM, TIMER_STREAM, "KV_snapshots", "KV_secrets", "OBJ_objects")
PARTS = ("", "/events", "/state", "/messages", "/timeline", "/model-calls/1")


@pytest.fixture(scope="module")
def stack(other_stack: Stack, model: ModelServer) -> Stack:
    """What is erased is looked for in all that it keeps."""
    return other_stack


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as gateway:
        yield gateway


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    return Command(stack.data_dir, tmp_path)


def say(door: Gateway, text: str, agent: str | None = None, session: str | None = None) -> str:
    if session is None:
        created = door.post("/sessions", {"message": text, **({"agent_id": agent} if agent else {})})
        turn = ChatTurn(door, created["id"])
        turn.status = "running"
    else:
        turn = ChatTurn(door, session)
        turn.say(text)
    for _ in turn.pieces():
        pass
    return turn.session_id


def seen(door: Gateway, session: str | None = None) -> list[dict[str, Any]]:
    """The files of the agent, or those that a session sees."""
    files: list[dict[str, Any]] = door.get("/agents/default/files", session_id=session, limit=1_000)["items"]
    return files


def is_gone(door: Gateway, session: str) -> None:
    asks: list[Callable[[], object]] = [partial(door.get, f"/sessions/{session}{part}") for part in PARTS]
    asks += [
        partial(door.download, f"/sessions/{session}/export"),
        partial(door.post, f"/sessions/{session}/messages", {"text": "still there?"}),
        partial(door.post, f"/sessions/{session}:interrupt"),
        partial(door.post, f"/sessions/{session}:unstick"),
    ]
    for ask in asks:
        with pytest.raises(Rejected) as refused:
            ask()
        assert refused.value.kind == "erased"


def kept(stack: Stack) -> list[str]:
    """Where NATS still has the word. (On the disk the bytes go when it next writes their block anew.)"""

    async def read() -> list[str]:
        async with log_view(stack.data_dir) as view:
            return await view.holding(SECRET, *STREAMS)

    return asyncio.run(read())


def put_snapshots(stack: Stack, session: str) -> None:
    """As of a session of more than a hundred events: a head and a piece."""

    async def put() -> None:
        async with log_view(stack.data_dir) as view:
            for key in (f"{session}.0", f"{session}.0.piece"):
                await view.put_snapshot(key, SECRET.encode())

    asyncio.run(put())


def test_a_session_and_its_helpers_are_gone_everywhere_and_others_are_as_they_were(
    stack: Stack, door: Gateway, foldline: Command
) -> None:
    other = say(door, "something else")
    session = say(door, f"a helper, please: {SECRET}")
    for one, path, text in (
        (session, "mine.txt", SECRET),
        (session, "same.txt", "same"),
        (other, "a.txt", "same"),
    ):
        say(door, f"write {path}: {text}", session=one)
    (same,) = (file for file in seen(door, other) if file["path"] == "a.txt")
    children = [one["child_id"] for one in door.get(f"/sessions/{session}/state")["children"]]
    assert children
    put_snapshots(stack, session)
    assert len([one for one in kept(stack) if one.startswith("$KV.snapshots.")]) == 2
    before = door.get(f"/sessions/{other}/model-calls/1")
    done = foldline("erase", session, "--yes", "--reason", "asked to", "--json")
    assert done.code == 0, done.err
    assert set(done.json["sessions"]) == {session, *children}
    assert done.json["events"] > 10
    for one in (session, *children):
        is_gone(door, one)
    assert door.get("/sessions", q=SECRET)["items"] == []
    assert door.get(f"/sessions/{other}/model-calls/1") == before
    assert kept(stack) == []
    assert not [file for file in seen(door) if file["session_id"] == session]
    assert door.download(f"/files/{same['file_id']}/content") == b"same"
    assert foldline("projections", "check").code == 0
    assert foldline("doctor").code == 0
    assert say(door, "and again")


def test_an_imported_session_goes_with_the_file_that_it_came_from(
    stack: Stack, door: Gateway, foldline: Command
) -> None:
    session = say(door, f"told elsewhere: {SECRET}")
    file = door.download(f"/sessions/{session}/export")
    assert foldline("erase", session, "--yes", "--reason", "asked to").code == 0
    imported = httpx.post(
        f"{stack.url}/api/v1/sessions:import",
        params={"ids": "new"},
        content=file,
        headers={"Authorization": f"Bearer {stack.token}", "Content-Type": "application/x-ndjson"},
        timeout=60,
    )
    assert imported.status_code == 201, imported.text
    assert kept(stack) != []
    assert foldline("erase", imported.json()["id"], "--yes", "--reason", "asked to").code == 0
    assert kept(stack) == []


def test_what_was_cut_off_is_brought_to_its_end_by_the_same_command(
    stack: Stack, door: Gateway, foldline: Command, tmp_path: Path
) -> None:
    session = say(door, f"a helper, please: {SECRET}")
    for place in ("erase.marked", "erase.blobs_removed", "erase.purged"):
        arm(tmp_path, place)
        assert foldline("erase", session, "--yes", **{STOP_DIR: str(tmp_path)}).code != 0
        with pytest.raises(Rejected):
            door.post(f"/sessions/{session}/messages", {"text": "still there?"})
    assert foldline("erase", session, "--yes").code == 0
    is_gone(door, session)
    assert kept(stack) == []
    assert foldline("projections", "check").code == 0
    assert foldline("erase", session, "--yes").code == 0  # once more does no harm
    assert foldline("doctor").code == 0


def test_an_agent_goes_with_all_that_it_has(stack: Stack, door: Gateway, foldline: Command) -> None:
    door.post("/agents", {"id": "brief", "name": "Brief"})
    door.put("/agents/brief/state/word", {"value": SECRET})
    session = say(door, SECRET, agent="brief")
    refused = foldline("erase", "brief", stdin="n\n")
    assert refused.code == 1
    assert door.get(f"/sessions/{session}")["id"] == session
    assert foldline("erase", "brief", "--yes").code == 0
    is_gone(door, session)
    assert "brief" not in [one["id"] for one in door.get("/agents")["items"]]
    with pytest.raises(Rejected) as gone:
        door.get("/agents/brief/state/word")
    assert gone.value.kind == "not_found"
    assert kept(stack) == []


def keep_logins(stack: Stack, agent: str, *hosts: str) -> None:
    """As a person keeps them after a login in a browser that was handed over."""
    key = SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
    state = StorageState(tuple({"name": "sid", "value": SECRET, "domain": one, "path": "/"} for one in hosts))

    async def keep() -> None:
        async with log_view(stack.data_dir) as view:
            logins = SiteLogins(view.bucket(SITE_LOGINS_BUCKET), key, SystemClock())
            await logins.keep(AgentId(agent), SessionId("s_1"), state, hosts)

    asyncio.run(keep())


def logins_of(stack: Stack, agent: str) -> list[str]:
    """Where NATS has anything about an agent's logins."""

    async def read() -> list[str]:
        async with log_view(stack.data_dir) as view:
            return [one for one in await view.holding("", f"KV_{SITE_LOGINS_BUCKET}") if f".{agent}." in one]

    return asyncio.run(read())


def test_kept_logins_are_listed_and_forgotten_and_go_with_their_agent(
    stack: Stack, door: Gateway, foldline: Command
) -> None:
    for agent in ("shopper", "reader"):
        door.post("/agents", {"id": agent, "name": agent.title(), "starters": False})
        keep_logins(stack, agent, "shop.test", "news.test")
    listed = foldline("site-logins", "--agent", "shopper", "--json")
    assert listed.code == 0, listed.err
    assert [(one["site"], one["cookies"]) for one in listed.json] == [("news.test", 1), ("shop.test", 1)]
    assert SECRET not in listed.out
    told = foldline("site-logins", "list", "--agent", "shopper").out
    assert "shop.test  2" in told
    assert foldline("site-logins", "forget", "--agent", "shopper").code != 0
    unknown = foldline("site-logins", "forget", "bank.test", "--agent", "shopper")
    assert unknown.code != 0
    assert "no login named bank.test" in unknown.err
    assert foldline("site-logins", "forget", "news.test", "--agent", "shopper").code == 0
    left = foldline("site-logins", "--agent", "shopper", "--json").json
    assert [one["site"] for one in left] == ["shop.test"]

    assert logins_of(stack, "shopper") != []
    assert foldline("erase", "shopper", "--yes").code == 0
    assert logins_of(stack, "shopper") == []
    others = door.get("/agents/reader/site-logins")["items"]
    assert [one["site"] for one in others] == ["news.test", "shop.test"]


def test_a_session_that_others_begin_with_is_not_erased_under_them(door: Gateway, foldline: Command) -> None:
    session = say(door, "something else")
    at = door.get(f"/sessions/{session}")["last_sequence"]
    fork = door.post(f"/sessions/{session}:fork", {"at": at})["id"]
    refused = foldline("erase", session, "--yes")
    assert refused.code == 1
    assert fork in refused.err
    assert door.get(f"/sessions/{session}")["id"] == session
    nobody = foldline("erase", "s_nobody", "--yes")
    assert (nobody.code, "s_nobody" in nobody.err) == (1, True)


def rests(stack: Stack, session: str) -> list[str]:
    """What of a session NATS still has."""

    async def read() -> list[str]:
        async with log_view(stack.data_dir) as view:
            found = await view.holding("", *STREAMS)
            return [one for one in found if session in one and ".erased." not in one]

    return asyncio.run(read())


def is_erased(stack: Stack, session: str) -> None:
    """By itself, soon."""
    deadline = time.monotonic() + 60
    while rests(stack, session):
        assert time.monotonic() < deadline, rests(stack, session)
        time.sleep(0.2)


def is_forgotten(stack: Stack) -> None:
    """Contents go last, once nobody else was about to name them."""
    deadline = time.monotonic() + 60
    while left := kept(stack):
        assert time.monotonic() < deadline, left
        time.sleep(0.2)


def listed(door: Gateway, after: int) -> set[str]:
    """The sessions in the list, once it holds an event."""
    return {one["id"] for one in door.get("/sessions", limit=200, min_sequence=after)["items"]}


def test_a_chat_that_its_person_deletes_is_gone_at_once_and_then_from_everything(
    stack: Stack, door: Gateway, foldline: Command
) -> None:
    other = say(door, "something else")
    session = say(door, f"a helper, please: {SECRET}")
    say(door, f"write mine.txt: {SECRET}", session=session)
    say(door, "write a.txt: same", session=other)
    put_snapshots(stack, session)
    [child] = [one["child_id"] for one in door.get(f"/sessions/{session}/state")["children"]]
    with pytest.raises(Rejected) as refused:
        door.delete(f"/sessions/{child}")
    assert (refused.value.kind, session in refused.value.message) == ("conflict", True)
    refused_by_hand = foldline("delete", session, stdin="n\n")
    assert (refused_by_hand.code, "Nothing was deleted" in refused_by_hand.err) == (1, True)
    before = door.get(f"/sessions/{other}/model-calls/1")
    deleted = foldline("delete", session, "--yes", "--json")
    assert deleted.code == 0, deleted.err
    is_gone(door, session)
    assert session not in listed(door, deleted.json["sequence"])
    is_erased(stack, session)
    is_erased(stack, child)
    is_gone(door, child)
    is_forgotten(stack)
    assert door.delete(f"/sessions/{session}")["sequence"] == deleted.json["sequence"]
    assert door.get(f"/sessions/{other}/model-calls/1") == before
    assert [file["path"] for file in seen(door, other) if file["session_id"] == other] == ["a.txt"]
    whole(foldline)
    assert say(door, "and again")


def whole(foldline: Command) -> None:
    """The tables are what the log says, the log lacks nothing, and what is left decides as it did."""
    checked = foldline("projections", "check")
    assert checked.code == 0, checked.out + checked.err
    for look in (("doctor",), ("replay", "--strict")):
        found = foldline(*look)
        assert found.code == 0, found.out + found.err


def say_and_where(door: Gateway, session: str) -> int:
    """Go on with a session; where it is then."""
    say(door, "and on", session=session)
    where: int = door.get(f"/sessions/{session}")["last_sequence"]
    return where


def test_what_others_begin_with_is_kept_for_them_and_goes_with_the_last_of_them(
    stack: Stack, door: Gateway, foldline: Command
) -> None:
    session = say(door, f"something else {SECRET}")
    at = door.get(f"/sessions/{session}")["last_sequence"]
    fork = door.post(f"/sessions/{session}:fork", {"at": at})["id"]
    at = say_and_where(door, fork)
    of_fork = door.post(f"/sessions/{fork}:fork", {"at": at})["id"]
    sequence = door.delete(f"/sessions/{session}")["sequence"]
    is_gone(door, session)
    assert not {session} & listed(door, sequence)
    assert SECRET in str(door.get(f"/sessions/{fork}/messages", min_sequence=sequence))
    assert door.get(f"/sessions/{fork}")["origin"] is None
    assert say(door, "and on", session=fork) == fork
    assert SECRET in str(door.get(f"/sessions/{fork}/state"))
    assert door.download(f"/sessions/{fork}/export")
    whole(foldline)
    assert kept(stack) != []
    door.delete(f"/sessions/{of_fork}")
    is_erased(stack, of_fork)
    assert rests(stack, session) != []
    door.delete(f"/sessions/{fork}")
    is_erased(stack, fork)
    is_erased(stack, session)
    is_forgotten(stack)
    whole(foldline)

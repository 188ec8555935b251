"""The studio's rooms of settings and of agents: what is set there holds from the next call on, and what was
asked before keeps what held then, through a kill."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.command import Command
from foldline_testing.product.looks import DESKTOP, PHONE, Looks
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
KEY = "sk-typed-in-the-studio-42"
SCRIPT = {
    "models": ["gemma", "scripted"],
    "rules": [
        {
            "when": {"user_contains": "slowly"},
            "reply": {"text": "It took a while.", "fault": {"kind": "hold", "after_chunks": 1}},
        },
        {"reply": {"text": "Hello."}},
    ],
}


@pytest.fixture(scope="module")
def scripted() -> Iterator[ModelServer]:
    with ModelServer(SCRIPT) as server:
        yield server


@pytest.fixture(scope="module")
def own(scripted: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline whose model a file names, so that a person may name another one."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "foldline.toml").write_text(
        f'model = "openai/scripted"\nmodel_api_key = "sk-of-the-file"\nmodel_base_url = "{scripted.base_url}"'
    )
    with Stack(folder, processes=True, env={"FOLDLINE_CHILD_DEPTH": "2"}) as started:
        yield started
        every_session_replays(started)


@pytest.fixture
def at_the_door(own: Stack) -> Iterator[Gateway]:
    with own.gateway() as door:
        yield door


def until(so: Callable[[], bool], patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not so():
        assert time.monotonic() < deadline, "it didn't come to that"
        time.sleep(0.1)


def answered(door: Gateway, text: str, **body: Any) -> list[str]:
    """Say something in a new session; the models that answered."""
    session = door.post("/sessions", {"message": text, **body})["id"]
    until(lambda: models_of(door, session) != [])
    return models_of(door, session)


def models_of(door: Gateway, session: str) -> list[str]:
    events = door.get(f"/sessions/{session}/events", type="model_call_completed")["items"]
    return [one["body"]["model"] for one in events]


def opened(stack: Stack, page: Page, section: str) -> None:
    page.goto(stack.link)
    page.get_by_role("link", name=re.compile("^Studio")).click()
    page.goto(f"{stack.url}/#/studio/default/{section}")


def test_what_a_person_sets_holds_from_the_next_call_on(
    own: Stack,
    scripted: ModelServer,
    at_the_door: Gateway,
    new_page: NewPage,
    screenshots: Path,
    axe: Path,
) -> None:
    door = at_the_door
    assert answered(door, "hello") == ["openai/scripted"]
    watched = new_page(own.url)
    page = watched.page
    looks = Looks(
        page, [(PHONE, "light"), (PHONE, "dark"), (DESKTOP, "light"), (DESKTOP, "dark")], screenshots, axe
    )
    opened(own, page, "settings")

    # What a file and the environment say is told; what the environment says can't be typed.
    models = page.get_by_role("form", name="Models")
    expect(models.get_by_text(re.compile(r"From .*foldline\.toml")).first).to_be_visible()
    depth = page.get_by_label("Depth of sub-sessions", exact=True)
    expect(depth).to_be_disabled()
    expect(page.get_by_text("Set by FOLDLINE_CHILD_DEPTH.")).to_be_visible()
    looks.check("settings")

    # A wrong value is refused in a sentence, and what was typed stays.
    limits = page.get_by_role("form", name="Limits of new chats")
    tokens = limits.get_by_label("Tokens of a chat", exact=True)
    write(tokens, "none at all")
    limits.get_by_role("button", name="Save").click()
    expect(limits.get_by_role("alert")).to_contain_text("token_limit can't be 'none at all'")
    expect(tokens).to_have_value("none at all")
    watched.forgive("422")
    write(tokens, "54321")
    limits.get_by_role("button", name="Save").click()
    expect(limits.get_by_text("Set for all agents, version 1.")).to_be_visible()
    assert door.post("/sessions", {})["token_limit"] == 54321

    # A model is tested before it is saved: one real call, with a key that stands nowhere.
    model = models.get_by_label("Model", exact=True)
    write(model, "openai/chosen")
    write(models.get_by_label("Server", exact=True), scripted.base_url)
    write(page.get_by_label("Key of your own server", exact=True), KEY)
    models.get_by_role("button", name="Test Model", exact=True).click()
    expect(models.get_by_text(re.compile("openai/chosen answers"))).to_be_visible()
    asked = scripted.recording.requests[-1]
    assert (asked.body["model"], asked.headers["authorization"]) == ("chosen", f"Bearer {KEY}")
    assert answered(door, "still") == ["openai/scripted"]
    looks.check("settings-tested")
    models.get_by_role("button", name="Save").click()
    expect(models.get_by_text("Set for all agents, version 1.").first).to_be_visible()
    page.get_by_role("button", name="Save keys").click()
    expect(page.get_by_role("button", name="Remove the key Key of your own server")).to_be_visible()
    assert answered(door, "now") == ["openai/chosen"]
    assert scripted.recording.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    page.reload()
    expect(model).to_have_value("openai/chosen")
    assert KEY not in page.content()
    assert KEY not in own.log

    # A version is brought back, and a reset takes all of it away.
    write(tokens, "60000")
    limits.get_by_role("button", name="Save").click()
    expect(limits.get_by_text("Set for all agents, version 2.")).to_be_visible()
    limits.get_by_role("button", name="Versions of Tokens of a chat").click()
    limits.get_by_role("button", name=re.compile("^Revert to 1 ")).click()
    expect(tokens).to_have_value("54321")
    limits.get_by_role("button", name=re.compile("^Reset Tokens of a chat")).click()
    expect(tokens).to_have_value("")
    assert door.post("/sessions", {})["token_limit"] == 1_000_000

    # A second tab hears of it; what is typed there and not saved stays.
    second = new_page(own.url).page
    opened(own, second, "settings")
    here = second.get_by_role("form", name="Limits of new chats")
    expect(here.get_by_label("Tokens of a chat", exact=True)).to_have_value("")
    write(here.get_by_label("Sub-sessions at a time", exact=True), "7")
    door.patch("/settings", {"values": {"token_limit": 65_432}})
    for tab in (second, page):
        expect(tab.get_by_label("Tokens of a chat", exact=True)).to_have_value("65432")
    expect(here.get_by_label("Sub-sessions at a time", exact=True)).to_have_value("7")
    door.patch("/settings", {"values": {"token_limit": None}})
    expect(tokens).to_have_value("")

    # One agent has a model of its own.
    page.get_by_role("button", name="This agent only").click()
    expect(model).to_have_value("")
    write(model, "openai/of-one")
    models.get_by_role("button", name="Save").click()
    expect(models.get_by_text("Set for this agent, version 1.")).to_be_visible()
    assert answered(door, "mine") == ["openai/of-one"]
    door.post("/agents", {"id": "other", "name": "Other", "starters": False})
    assert answered(door, "theirs", agent_id="other") == ["openai/chosen"]
    door.patch("/agents/default/settings", {"values": {"model": None}})


def test_a_model_of_the_server_is_found_chosen_and_checked_by_keyboard(
    own: Stack, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    watched = new_page(own.url, width=390)
    page = watched.page
    looks = Looks(page, [(PHONE, "light"), (DESKTOP, "dark")], screenshots, axe)
    opened(own, page, "settings")
    models = page.get_by_role("form", name="Models")
    models.get_by_role("button", name="List the server’s models").focus()
    page.keyboard.press("Enter")
    expect(models.get_by_role("list", name="Models")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.type("SCRIPT")
    expect(models.get_by_role("button", name="Choose openai/scripted")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.type("Model for simple")
    looks.check("settings-server-models")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(models.get_by_text("openai/scripted stands in “Model for simple work (low)” now")).to_be_visible()
    low = models.get_by_label("Model for simple work (low)", exact=True)
    expect(low).to_have_value("openai/scripted")
    models.get_by_role("button", name="Check Model for simple work (low)").focus()
    page.keyboard.press("Enter")
    checked = models.get_by_role("region", name="Checks of openai/scripted")
    expect(checked.get_by_role("row", name=re.compile("chat needed ✓ yes answers"))).to_be_visible()
    expect(checked.get_by_role("row", name=re.compile("tool call needed ✗ no"))).to_be_visible()
    expect(models.get_by_role("button", name="Check Model for simple work (low)")).to_be_focused()
    expect(checked).to_be_in_viewport()
    looks.check("settings-checked")
    assert watched.complaints == []


def test_a_call_that_was_under_way_keeps_what_held_when_it_was_asked_for_through_a_kill(
    own: Stack, scripted: ModelServer, at_the_door: Gateway
) -> None:
    door = at_the_door
    url = scripted.base_url
    door.patch("/settings", {"values": {"model": "openai/before", "model_base_url": url}})
    session = door.post("/sessions", {"message": "slowly"})["id"]
    until(lambda: scripted.recording.requests[-1].body["model"] == "before")
    door.patch("/settings", {"values": {"model": "openai/after"}})
    assert own.kill(service_names.MODEL_CALLER)
    assert own.kill(service_names.GATEWAY)
    own.wait_until_ready()
    scripted.play({"rules": [{"reply": {"text": "Hello."}}]})
    until(lambda: models_of(door, session) != [], 90)
    assert models_of(door, session) == ["openai/before"]
    door.post(f"/sessions/{session}/messages", {"text": "again"})
    until(lambda: models_of(door, session) == ["openai/before", "openai/after"])
    settings = {one["name"]: one for one in door.get("/settings")["items"]}
    assert (settings["model"]["value"], settings["model"]["source"]) == ("openai/after", "installation")
    scripted.play(SCRIPT)


def test_the_terminal_sets_lists_and_takes_back(own: Stack) -> None:
    foldline = Command(own.data_dir, own.data_dir)
    foldline("config", "set", "FOLDLINE_CHILD_COUNT", "4")
    got = json.loads(foldline("config", "get", "child_count", "--json").out)
    assert (got["value"], got["source"]) == (4, "installation")
    assert "child_count" in foldline("config", "list").out
    foldline("config", "unset", "child_count")
    assert json.loads(foldline("config", "get", "child_count", "--json").out)["value"] == 10


def test_agents_are_made_renamed_and_deleted(
    own: Stack, at_the_door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    door = at_the_door
    watched = new_page(own.url)
    page = watched.page
    looks = Looks(page, [(PHONE, "light"), (DESKTOP, "dark")], screenshots, axe)
    opened(own, page, "agents")
    form = page.get_by_role("form", name="New agent")
    write(form.get_by_label("Name"), "Gardener")
    form.get_by_role("button", name="Make an agent").click()
    expect(page.get_by_role("link", name="Gardener")).to_be_visible()
    [made] = [one for one in door.get("/agents")["items"] if one["name"] == "Gardener"]
    session = door.post("/sessions", {"agent_id": made["id"], "message": "hello"})["id"]
    page.get_by_role("button", name="Rename… Gardener").click()
    write(page.get_by_role("textbox", name="Name").first, "Head gardener")
    page.get_by_role("form", name="Rename Gardener").get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Head gardener")).to_be_visible()
    looks.check("agents")
    assert page.get_by_role("button", name="Delete… default").count() == 0
    page.get_by_role("button", name="Delete… Head gardener").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Its chats are archived")
    looks.check("agents-delete")
    dialog.get_by_role("button", name="Delete the agent").click()
    expect(page.get_by_role("link", name="Head gardener")).to_have_count(0)
    until(lambda: door.get(f"/sessions/{session}")["status"] == "completed")
    assert made["id"] not in [one["id"] for one in door.get("/agents")["items"]]

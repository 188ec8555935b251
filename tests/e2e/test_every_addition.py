"""What people give an agent, and what that asks of them: views like those of `test_every_view`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.equipped import equip
from foldline_testing.product.reading import newest
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write
from foldline_testing.product.views import Views, calls, rule

NewPage = Callable[..., WatchedPage]
pytestmark = pytest.mark.browser
AGENT, BARE = "equipped", "bare"
TITLES = {
    "mcp": "MCP servers",
    "packs": "Packs",
    "policy": "Policy",
    "changes": "What changed",
    "secrets": "Secrets",
}
STEPS: list[dict[str, Any]] = [
    {
        "title": "What",
        "schema": {
            "properties": {
                "name": {"type": "string", "title": "Name", "description": "As it is shown in lists"},
                "public": {"type": "boolean", "title": "Everybody may read it"},
            },
            "required": ["name"],
        },
    },
    {
        "title": "Where",
        "schema": {
            "properties": {
                "store": {
                    "title": "Store",
                    "oneOf": [
                        {"const": "pg", "title": "Postgres", "description": "Many writers"},
                        {"const": "sqlite", "title": "SQLite", "description": "Zero-config"},
                    ],
                    "default": "sqlite",
                }
            },
        },
    },
]
COMMAND = "find . -name '*.csv' -print0 | xargs -0 --no-run-if-empty wc --lines | sort --numeric-sort"
FORM = {"title": "New project", "description": "Two things are missing.", "steps": STEPS}
DONE = {"text": "Done."}
SCRIPT = {
    "rules": [
        rule("count lines", calls(("run_command", {"command": COMMAND})), DONE),
        rule("by the pack", calls(("execute_shell", {"command": "ls -la"})), DONE),
        rule("remember cups", calls(("set_state", {"key": "cups", "value": 3})), DONE),
        rule(
            "remember tea",
            calls(("edit_learned_notes", {"operation": "append", "content": "Likes tea."})),
            DONE,
        ),
        rule("set it up", calls(("request_user_input", FORM)), DONE),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def equipped(door: Gateway, tmp_path_factory: pytest.TempPathFactory) -> str:
    door.post("/agents", {"id": AGENT, "name": "Equipped"})
    door.post("/agents", {"id": BARE, "name": "Bare", "starters": False})
    equip(door, AGENT, tmp_path_factory.mktemp("equipped"))
    return AGENT


@pytest.fixture
def views(stack: Stack, equipped: str, new_page: NewPage, screenshots: Path, axe: Path) -> Views:
    watched = new_page(stack.url, width=1440)
    watched.page.goto(stack.link)
    return Views(stack, watched, screenshots, axe)


def room_of(views: Views, agent: str, room: str) -> Locator:
    """A room of the agent's studio, read."""
    views.go(f"/studio/{agent}/{room}")
    page = views.page
    expect(page.get_by_role("link", name=TITLES[room]).first).to_have_attribute("aria-current", "page")
    expect(page.get_by_text("Loading…")).to_have_count(0)
    return page.locator(".studio-scrolls")


def test_what_people_give_an_agent(views: Views, door: Gateway) -> None:
    page = views.page
    session = views.begin(door, AGENT, "Cups")
    for words in ("remember cups", "remember tea"):
        views.chat.say(words)
        expect(views.chat.answers.filter(has_text="Done.").last).to_be_visible()
        views.chat.settled()
    door.get(f"/agents/{AGENT}/changes", min_sequence=newest(door, session))
    for name, agent in (("equipped", AGENT), ("bare", BARE)):
        for room in TITLES:
            room_of(views, agent, room)
            views.look(f"70-{name}-{room}")
    server = room_of(views, AGENT, "mcp").get_by_role("listitem", name="notes", exact=True)
    expect(server).to_contain_text("Waits for you")
    server.get_by_role("button", name="Tools (1 accepted) of notes").click()
    expect(server.get_by_role("group", name="note: as you accepted it, and now")).to_contain_text("\\u200b")
    views.look("71-mcp-changed")
    room_of(views, AGENT, "secrets")
    programs = page.get_by_role("region", name="Programs")
    programs.get_by_role("button", name="Let a program in").click()
    write(programs.get_by_role("textbox", name="Name"), "helix")
    views.look("72-token-form")
    programs.get_by_role("button", name="Save").click()
    expect(programs.get_by_text("it isn't shown again")).to_be_visible()
    views.look("72-token")
    door.delete("/program-tokens/helix")
    assert views.wrong == []


def test_packs_are_enabled_ordered_and_disabled(views: Views, door: Gateway) -> None:
    door.post("/agents", {"id": "packed", "name": "Packed"})
    room = room_of(views, "packed", "packs")
    for title in ("Wintermute", "protoAgent"):
        pack = room.get_by_role("listitem", name=title, exact=True)
        pack.get_by_role("button", name=f"Enable {title}").click()
        expect(pack).to_contain_text("enabled")
    expect(room.get_by_role("region", name="Renamed tools")).to_contain_text("core_fetch_url")
    room.get_by_role("button", name="Move protoAgent up").click()
    expect(room.get_by_role("listitem").filter(has=views.page.locator("strong")).first).to_contain_text(
        "protoAgent"
    )
    enabled = [one["name"] for one in door.get("/agents/packed/packs")["packs"] if one["enabled"]]
    assert enabled == ["protoagent", "wintermute"]
    pack.locator("summary").get_by_text("tools", exact=False).last.click()
    expect(pack.get_by_text("notes_read", exact=True)).to_be_visible()
    views.look("71-pack-tools")
    pack.get_by_role("button", name="Disable protoAgent").click()
    expect(pack).to_contain_text("off")
    enabled = [one["name"] for one in door.get("/agents/packed/packs")["packs"] if one["enabled"]]
    assert enabled == ["wintermute"]
    assert views.wrong == []


def test_what_its_additions_ask(views: Views, door: Gateway) -> None:
    page = views.page
    for words, command in (("count lines", COMMAND), ("by the pack", "ls -la")):
        views.begin(door, AGENT, words.capitalize())
        views.chat.say(words)
        expect(page.get_by_role("group", name="Exactly what runs")).to_have_text(command)
        expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
        views.look(f"73-{words.replace(' ', '-')}")
    views.begin(door, AGENT, "Project")
    views.chat.say("set it up")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_text("Fill this in.")).to_be_visible()
    views.look("74-steps-mistake")
    write(page.get_by_role("textbox", name="Name"), "Ark")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("radio", name="SQLite")).to_be_focused()
    views.look("74-steps-last")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Submitted")).to_be_visible()
    views.chat.settled()
    views.look("74-steps-given")
    assert views.wrong == []

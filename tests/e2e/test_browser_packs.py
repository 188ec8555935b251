"""What packs bring to the studio, in the browser: the rooms of delegates and of playbooks."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.looks import Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.studio_page import opened, settled
from foldline_testing.product.typing import write
from foldline_testing.product.views import EVERY

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
SCOUT = {"name": "scout", "type": "a2a", "url": "http://127.0.0.1:1/a2a", "secret": "SCOUT"}


def test_delegates_are_named_tried_changed_and_removed(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    agent = "delegating"
    door.post("/agents", {"id": agent, "name": "Delegating", "starters": False})
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, agent, "delegates")
    room = page.get_by_role("region", name="Delegates", exact=True)
    expect(room).to_contain_text("The agent has nobody to hand work to.")
    _named(room, "scout", SCOUT["url"], secret="SCOUT")
    _named(room, "coder", "opencode acp", what="A coding agent (ACP)", field="Command")
    scout, coder = (room.get_by_role("listitem", name=name) for name in ("scout", "coder"))
    expect(coder).to_contain_text("ask for it in a chat")
    expect(coder.get_by_role("button", name="Test coder")).to_have_count(0)
    scout.get_by_role("button", name="Test scout").click()
    expect(scout.get_by_role("alert")).to_contain_text("needs the secret SCOUT")
    watched.forgive("422")
    Looks(page, EVERY, screenshots, axe).check("studio-delegates")

    coder.get_by_role("button", name="Edit coder").click()
    form = room.get_by_role("form", name="Edit coder")
    write(form.get_by_label("Command"), "gemini --acp")
    Looks(page, EVERY, screenshots, axe).check("studio-delegate-form")
    form.get_by_role("button", name="Save").click()
    expect(coder).to_contain_text("gemini --acp")
    scout.get_by_role("button", name="Remove scout").click()
    expect(scout).to_have_count(0)
    assert [one["name"] for one in door.get(f"/agents/{agent}/delegates")["delegates"]] == ["coder"]

    versions = room.get_by_role("region", name="Versions of the delegates")
    first = versions.get_by_label("From").locator("option", has_text="Version 1 ").get_attribute("value")
    versions.get_by_label("From").select_option(first)
    beside = versions.get_by_role("group", name="Changes of delegates")
    expect(beside).to_contain_text("- ")
    expect(beside).to_contain_text("gemini --acp")
    Looks(page, EVERY, screenshots, axe).check("studio-delegates-versions")
    versions.get_by_role("button", name=re.compile("^Revert to 1 ")).click()
    expect(scout).to_be_visible()
    expect(coder).to_have_count(0)
    expect(versions.get_by_role("listitem").first).to_contain_text("Version 5")
    settled(watched)


def _named(
    room: Locator, name: str, where: str, *, what: str = "", field: str = "URL", secret: str = ""
) -> None:
    room.get_by_role("button", name="Add a delegate").click()
    form = room.get_by_role("form", name="New delegate")
    write(form.get_by_label("Name"), name)
    if what:
        form.get_by_label("What it is", exact=True).select_option(label=what)
    write(form.get_by_label(field, exact=True), where)
    if secret:
        write(form.get_by_label("Secret"), secret)
    form.get_by_role("button", name="Save").click()
    expect(room.get_by_role("listitem", name=name)).to_be_visible()


STEP = {"step_id": "1", "description": "Open it.", "tool_name": "grep", "purpose": "to find it"}


def test_a_playbook_is_changed_taken_back_and_deleted(
    stack: Stack, door: Gateway, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    agent = "playing"
    door.post("/agents", {"id": agent, "name": "Playing", "starters": False})
    steps = [STEP | {"required_data": [], "output_variable": ""}]
    book = {"description": "Find it", "workflow": steps, "initial_command": "", "success_criteria": ""}
    watched = new_page(stack.url)
    page = watched.page
    opened(stack, page, agent, "playbooks")
    expect(page.get_by_text("No playbooks yet.")).to_be_visible()
    door.put(f"/agents/{agent}/playbooks/finding", book)
    page.get_by_role("link", name=re.compile("finding")).click()
    shown = page.get_by_role("article", name="finding")
    shown.get_by_role("button", name="Edit").click()
    write(shown.get_by_label("How one sees that it worked"), "It is found.")
    shown.get_by_role("button", name="Save").click()
    expect(shown.get_by_text("version 2", exact=True)).to_be_visible()
    Looks(page, EVERY, screenshots, axe).check("studio-playbook")
    shown.get_by_role("link", name="Versions").click()
    shown.get_by_role("button", name=re.compile("^Revert to 1 ")).click()
    expect(shown.get_by_text("Version 3 restores version 1.")).to_be_visible()
    Looks(page, EVERY, screenshots, axe).check("studio-playbook-versions")
    assert "It is found." not in str(door.get(f"/agents/{agent}/playbooks/finding"))
    shown.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(shown.get_by_text("is deleted")).to_be_visible()
    settled(watched)
